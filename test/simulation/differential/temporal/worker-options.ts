/** As the workers of the project have them, on both sides. */
export const workerOptions = {
  namespace: 'default',
  identity: 'worker',
  maxHeartbeatThrottleInterval: '1s',
  defaultHeartbeatThrottleInterval: '1s',
  shutdownGraceTime: '1s',
  shutdownForceTime: '10s',
  stickyQueueScheduleToStartTimeout: '10s',
} as const;
