/** How often a cloud fails, and how. All of it ends when the weather clears. */

/** Shares of calls, where nothing else is said. */
export interface CloudTrouble {
  /** Refused with 429 and a time to wait. */
  throttled: number;
  /** Answered with a breakdown, before the work or after it. */
  broken: number;
  /** Answered by something else than the cloud, before the work or after it. */
  foreignAnswers: number;
  /** Of calls: the work is done, and the connection breaks. */
  lostAnswers: number;
  /** Never answered, and nothing is done. */
  hung: number;
  /** They take up to a minute, which is more than the caller waits, before the work or after it. */
  slow: number;
  /** Of clouds: each call is answered when its work is done, which takes up to half a minute. */
  patient: number;
  /** Of creates: the quota, or a size in a zone, is used up; it lasts for minutes. */
  exhausted: number;
  /** The credentials are refused; it lasts for minutes. */
  credentials: number;
  /** Of creates: a size in a zone is not offered any more; it lasts for minutes. */
  notOffered: number;
  /** Of creates: the cloud promises the instance, and makes it seconds to ninety minutes later. */
  waiting: number;
  /** Of creates: lists have the new instance late, as late as the driver allows. */
  lateLists: number;
  /** An hour: another program makes an instance, under a new name or one of ours. */
  foreignAnHour: number;
  /** An hour: an instance with tags of ours and no Machine turns up. */
  orphansAnHour: number;
}

export const calmCloud: CloudTrouble = {
  throttled: 0,
  broken: 0,
  foreignAnswers: 0,
  lostAnswers: 0,
  hung: 0,
  slow: 0,
  patient: 0,
  exhausted: 0,
  credentials: 0,
  notOffered: 0,
  waiting: 0,
  lateLists: 0,
  foreignAnHour: 0,
  orphansAnHour: 0,
};

export const allCloudTrouble: CloudTrouble = {
  throttled: 0.02,
  broken: 0.01,
  foreignAnswers: 0.003,
  lostAnswers: 0.01,
  hung: 0.003,
  slow: 0.02,
  patient: 0.2,
  exhausted: 0.005,
  credentials: 0.0005,
  notOffered: 0.001,
  waiting: 0.08,
  lateLists: 0.2,
  foreignAnHour: 2,
  orphansAnHour: 0.5,
};
