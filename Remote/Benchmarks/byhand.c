// What the figures compare with: libnats by hand, one process that publishes and one that receives.
//
//   byhand receive URL SUBJECTS SUBSCRIBERS MESSAGES raw|json
//   byhand publish URL SUBJECTS MESSAGES raw|json
//   byhand echo URL              answers each message on "ping" with one on "pong"
//   byhand ping URL COUNT        prints the time of each round trip in nanoseconds

#include <inttypes.h>
#include <nats/nats.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void check(natsStatus status) {
  if (status == NATS_OK) return;
  fprintf(stderr, "%s\n", natsStatus_GetText(status));
  exit(1);
}

static natsConnection *connectTo(const char *url, bool sendsAsap) {
  natsOptions *options = NULL;
  natsConnection *connection = NULL;
  check(natsOptions_Create(&options));
  check(natsOptions_SetURL(options, url));
  check(natsOptions_SetSendAsap(options, sendsAsap));
  check(natsConnection_Connect(&connection, options));
  natsOptions_Destroy(options);
  return connection;
}

static atomic_llong received;
static atomic_llong first;
static long long expected;
static bool isJSON;
static atomic_llong sum;

static void onMessage(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                      void *closure) {
  if (isJSON) sum += strtoll(natsMsg_GetData(message), NULL, 10);
  else sum += ((const unsigned char *)natsMsg_GetData(message))[0];
  natsMsg_Destroy(message);
  if (atomic_fetch_add(&received, 1) == 0) first = now();
  if (received == expected) {
    printf("%lld\n", (long long)(now() - first));
    fflush(stdout);
  }
}

static void onPing(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                   void *closure) {
  check(natsConnection_Publish(connection, "pong", natsMsg_GetData(message),
                               natsMsg_GetDataLength(message)));
  natsMsg_Destroy(message);
}

static atomic_llong answered;

static void onPong(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                   void *closure) {
  natsMsg_Destroy(message);
  answered = now();
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  const char *mode = arguments[1], *url = arguments[2];
  natsSubscription *subscription = NULL;
  char subject[64];

  if (strcmp(mode, "receive") == 0 && count == 7) {
    natsConnection *connection = connectTo(url, false);
    long subjects = atol(arguments[3]), subscribers = atol(arguments[4]);
    expected = atoll(arguments[5]) * subscribers;
    isJSON = strcmp(arguments[6], "json") == 0;
    for (long i = 0; i < subjects; i++) {
      snprintf(subject, sizeof subject, "bench.%ld", i);
      for (long j = 0; j < subscribers; j++) {
        check(natsConnection_Subscribe(&subscription, connection, subject, onMessage, NULL));
        // Neither side loses messages.
        check(natsSubscription_SetPendingLimits(subscription, -1, -1));
      }
    }
    check(natsConnection_Flush(connection));
    printf("ready\n");
    fflush(stdout);
    pause();
  } else if (strcmp(mode, "publish") == 0 && count == 6) {
    natsConnection *connection = connectTo(url, false);
    long subjects = atol(arguments[3]);
    long long messages = atoll(arguments[4]);
    bool json = strcmp(arguments[5], "json") == 0;
    char **names = calloc(subjects, sizeof *names);
    for (long i = 0; i < subjects; i++) {
      names[i] = malloc(64);
      snprintf(names[i], 64, "bench.%ld", i);
    }
    char payload[32];
    memset(payload, 'x', sizeof payload);
    int64_t start = now();
    for (long long i = 0; i < messages; i++) {
      int size = 16;
      if (json) size = snprintf(payload, sizeof payload, "%lld", 1000000000000000 + i);
      check(natsConnection_Publish(connection, names[i % subjects], payload, size));
    }
    check(natsConnection_Flush(connection));
    printf("%lld\n", (long long)(now() - start));
  } else if (strcmp(mode, "echo") == 0) {
    natsConnection *connection = connectTo(url, true);
    check(natsConnection_Subscribe(&subscription, connection, "ping", onPing, NULL));
    check(natsConnection_Flush(connection));
    printf("ready\n");
    fflush(stdout);
    pause();
  } else if (strcmp(mode, "ping") == 0 && count == 4) {
    natsConnection *connection = connectTo(url, true);
    check(natsConnection_Subscribe(&subscription, connection, "pong", onPong, NULL));
    check(natsConnection_Flush(connection));
    for (long i = 0; i < atol(arguments[3]); i++) {
      int64_t start = now();
      answered = 0;
      check(natsConnection_Publish(connection, "ping", "0123456789abcdef", 16));
      // Ends with the process, which the benchmark kills when its time is over.
      while (answered == 0) usleep(1);
      printf("%lld\n", (long long)(answered - start));
    }
  } else {
    return 64;
  }
  return 0;
}
