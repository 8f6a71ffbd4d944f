#ifndef C_MAIN_QUEUE_H
#define C_MAIN_QUEUE_H

int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *_Nullable message);

#endif
