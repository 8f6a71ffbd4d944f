// What Scripts/remote-faults compares with: libnats by hand. It does what the guides of NATS say, and is
// as careful as they are: it publishes each message with an id until the server has confirmed it, and
// acknowledges each message after it has handled it.
//
//   faults store SERVERS STREAM SUBJECT COUNT RATE
//   faults handle SERVERS STREAM CONSUMER FILE

#include <fcntl.h>
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void check(natsStatus status) {
  if (status == NATS_OK) return;
  fprintf(stderr, "%s\n", natsStatus_GetText(status));
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

/// Connects to one of the servers, and makes the stream on all of them if there is none.
static jsCtx *context(const char *servers, const char *stream) {
  natsOptions *options = NULL;
  natsConnection *connection = NULL;
  jsCtx *context = NULL;
  jsStreamConfig config;
  char copy[1024], subjects[256];
  const char *urls[8];
  int count = 0;
  snprintf(copy, sizeof(copy), "%s", servers);
  for (char *url = strtok(copy, ","); url && count < 8; url = strtok(NULL, ",")) urls[count++] = url;
  check(natsOptions_Create(&options));
  check(natsOptions_SetServers(options, urls, count));
  check(natsOptions_SetMaxReconnect(options, -1));
  check(natsOptions_SetReconnectWait(options, 100));
  check(natsOptions_SetPingInterval(options, 2000));
  check(natsConnection_Connect(&connection, options));
  check(natsConnection_JetStream(&context, connection, NULL));
  jsStreamConfig_Init(&config);
  snprintf(subjects, sizeof(subjects), "%s.>", stream);
  config.Name = stream;
  config.Subjects = (const char *[]){subjects};
  config.SubjectsLen = 1;
  config.Replicas = count;
  for (int attempt = 0; attempt < 100; attempt++) {
    if (js_AddStream(NULL, context, &config, NULL, NULL) == NATS_OK) break;
    if (js_GetStreamInfo(NULL, context, stream, NULL, NULL) == NATS_OK) break;
    nats_Sleep(100);
  }
  return context;
}

static void store(jsCtx *context, const char *subject, int count, double rate) {
  double start = now();
  for (int number = 0; number < count; number++) {
    char text[16], id[32];
    jsPubOptions options;
    double early = start + number / rate - now();
    if (early > 0) nats_Sleep((int64_t)(early * 1000) + 1);
    jsPubOptions_Init(&options);
    snprintf(id, sizeof(id), "id.%d", number);
    options.MsgId = id;
    options.MaxWait = 2000;
    int length = snprintf(text, sizeof(text), "%d", number);
    while (js_Publish(NULL, context, subject, text, length, &options, NULL) != NATS_OK) nats_Sleep(50);
  }
}

static void handle(jsCtx *context, const char *stream, const char *consumer, const char *path) {
  char subject[256];
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
  natsSubscription *subscription = NULL;
  snprintf(subject, sizeof(subject), "%s.>", stream);
  while (js_PullSubscribe(&subscription, context, subject, consumer, NULL, NULL, NULL) != NATS_OK) {
    nats_Sleep(100);
  }
  while (true) {
    natsMsgList list = {0};
    if (natsSubscription_Fetch(&list, subscription, 100, 1000, NULL) == NATS_OK) {
      for (int index = 0; index < list.Count; index++) {
        natsMsg *message = list.Msgs[index];
        dprintf(file, "%.*s\n", natsMsg_GetDataLength(message), natsMsg_GetData(message));
        natsMsg_Ack(message, NULL);
      }
    } else {
      nats_Sleep(50);
    }
    natsMsgList_Destroy(&list);
  }
}

int main(int count, char **arguments) {
  if (count < 6) return 64;
  jsCtx *js = context(arguments[2], arguments[3]);
  if (strcmp(arguments[1], "store") == 0) {
    store(js, arguments[4], atoi(arguments[5]), count > 6 ? atof(arguments[6]) : 4000);
  } else {
    handle(js, arguments[3], arguments[4], arguments[5]);
  }
  return 0;
}
