// The other side of the batches: libnats by hand, which fetches the same messages in the same batches,
// and writes the same mark behind each of them.
//
//   batches store URL MESSAGES number|object   makes the stream, and fills it
//   batches handle URL MESSAGES BATCH number|object
//                                              prints the nanoseconds from the first message to the last mark
//   batches delay PORT MILLISECONDS            prints a port that leads to PORT, with the delay each way

#include <arpa/inet.h>
#include <inttypes.h>
#include <nats/nats.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void check(natsStatus status, const char *what) {
  if (status == NATS_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, natsStatus_GetText(status), nats_GetLastError(NULL));
  exit(1);
}

static jsCtx *connectTo(const char *url, natsConnection **connection) {
  jsCtx *stream = NULL;
  check(natsConnection_ConnectTo(connection, url), "connect");
  check(natsConnection_JetStream(&stream, *connection, NULL), "JetStream");
  return stream;
}

static void make(jsCtx *js, const char *name, const char *subject) {
  jsStreamConfig config;
  check(jsStreamConfig_Init(&config), "stream");
  config.Name = name;
  config.Subjects = &subject;
  config.SubjectsLen = 1;
  check(js_AddStream(NULL, js, &config, NULL, NULL), "stream");
}

static void store(const char *url, long long messages, const char *form) {
  natsConnection *connection = NULL;
  jsCtx *js = connectTo(url, &connection);
  make(js, "batches", "batches.>");
  make(js, "marks", "marks.>");
  jsPubOptions options;
  check(jsPubOptions_Init(&options), "options");
  options.MaxWait = 60000;
  char payload[64];
  for (long long i = 0; i < messages; i++) {
    // Both forms of a message have sixteen digits.
    int size = strcmp(form, "number") == 0
                   ? snprintf(payload, sizeof payload, "%lld", 1000000000000000 + i)
                   : snprintf(payload, sizeof payload, "{\"x\":%lld,\"y\":%d}", 100000000000000 + i, 10);
    check(js_PublishAsync(js, "batches.new", payload, size, NULL), "store");
    if (i % 1000 == 999) check(js_PublishAsyncComplete(js, &options), "store");
  }
  check(js_PublishAsyncComplete(js, &options), "store");
}

static void handle(const char *url, long long messages, int batch, const char *form) {
  natsConnection *connection = NULL;
  jsCtx *js = connectTo(url, &connection);
  jsConsumerConfig config;
  jsConsumerInfo *info = NULL;
  jsSubOptions bound;
  natsSubscription *subscription = NULL;
  bool isNumber = strcmp(form, "number") == 0;
  // Nothing is acknowledged, because the mark says what is handled.
  check(jsConsumerConfig_Init(&config), "consumer");
  config.AckPolicy = js_AckNone;
  config.MemoryStorage = true;
  config.InactiveThreshold = 30000000000;
  check(js_AddConsumer(&info, js, "batches", &config, NULL, NULL), "consumer");
  check(jsSubOptions_Init(&bound), "subscription");
  bound.Stream = "batches";
  bound.Consumer = info->Name;
  bound.Config.AckPolicy = js_AckNone;
  bound.Config.MemoryStorage = true;
  check(js_PullSubscribe(&subscription, js, "batches.>", NULL, NULL, &bound, NULL), "subscription");
  char subject[64], mark[64];
  snprintf(subject, sizeof subject, "marks.%d", getpid());
  long long handled = 0, sum = 0, x = 0;
  int y = 0;
  uint64_t revision = 0;
  int64_t start = 0;
  while (handled < messages) {
    natsMsgList list;
    check(natsSubscription_Fetch(&list, subscription, batch, 10000, NULL), "fetch");
    if (start == 0) start = now();
    for (int i = 0; i < list.Count; i++) {
      const char *bytes = natsMsg_GetData(list.Msgs[i]);
      if (isNumber) {
        sum += strtoll(bytes, NULL, 10);
      } else if (sscanf(bytes, "{\"x\":%lld,\"y\":%d}", &x, &y) == 2) {
        sum += x + y;
      }
    }
    handled += list.Count;
    natsMsgList_Destroy(&list);
    jsPubOptions options;
    jsPubAck *stored = NULL;
    check(jsPubOptions_Init(&options), "mark");
    options.ExpectLastSubjectSeq = revision;
    options.ExpectNoMessage = revision == 0;
    int size = snprintf(mark, sizeof mark, "{\"sequence\":%lld}", handled);
    check(js_Publish(&stored, js, subject, mark, size, &options, NULL), "mark");
    revision = stored->Sequence;
    jsPubAck_Destroy(stored);
  }
  printf("%" PRId64 "\n", now() - start);
  if (sum == 0) exit(1);
}

// A part of what one side has said, which the other side hears later.
struct part {
  struct part *next;
  int64_t due;
  ssize_t size;
  char bytes[65536];
};

struct way {
  int from, to;
  int64_t delay;
  struct part *first, **last;
  pthread_mutex_t lock;
  pthread_cond_t added;
};

static void *hear(void *closure) {
  struct way *way = closure;
  while (true) {
    struct part *part = malloc(sizeof *part);
    part->next = NULL;
    part->size = recv(way->from, part->bytes, sizeof part->bytes, 0);
    part->due = now() + way->delay;
    ssize_t size = part->size;
    pthread_mutex_lock(&way->lock);
    *way->last = part;
    way->last = &part->next;
    pthread_cond_signal(&way->added);
    pthread_mutex_unlock(&way->lock);
    if (size <= 0) return NULL;
  }
}

static void *say(void *closure) {
  struct way *way = closure;
  while (true) {
    pthread_mutex_lock(&way->lock);
    while (way->first == NULL) pthread_cond_wait(&way->added, &way->lock);
    struct part *part = way->first;
    way->first = part->next;
    if (way->first == NULL) way->last = &way->first;
    pthread_mutex_unlock(&way->lock);
    struct timespec due = {part->due / 1000000000, part->due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    for (ssize_t sent = 0, step; sent < part->size; sent += step) {
      step = send(way->to, part->bytes + sent, part->size - sent, MSG_NOSIGNAL);
      if (step <= 0) break;
    }
    ssize_t size = part->size;
    free(part);
    if (size <= 0) {
      shutdown(way->to, SHUT_WR);
      return NULL;
    }
  }
}

static void lead(int from, int to, int64_t delay) {
  struct way *way = calloc(1, sizeof *way);
  *way = (struct way){.from = from, .to = to, .delay = delay};
  way->last = &way->first;
  pthread_mutex_init(&way->lock, NULL);
  pthread_cond_init(&way->added, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, hear, way);
  pthread_create(&thread, NULL, say, way);
}

static void delay(int port, int64_t nanoseconds) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 16) != 0) exit(1);
  getsockname(listener, (struct sockaddr *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  while (true) {
    int client = accept(listener, NULL, NULL), server = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_port = htons(port);
    if (client < 0 || connect(server, (struct sockaddr *)&address, sizeof address) != 0) exit(1);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    lead(client, server, nanoseconds);
    lead(server, client, nanoseconds);
  }
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  if (strcmp(mode, "store") == 0 && count == 5) {
    store(arguments[2], atoll(arguments[3]), arguments[4]);
  } else if (strcmp(mode, "handle") == 0 && count == 6) {
    handle(arguments[2], atoll(arguments[3]), atoi(arguments[4]), arguments[5]);
  } else if (strcmp(mode, "delay") == 0 && count == 4) {
    delay(atoi(arguments[2]), atoll(arguments[3]) * 1000000);
  } else {
    return 64;
  }
  return 0;
}
