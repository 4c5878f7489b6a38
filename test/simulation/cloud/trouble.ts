/** How often a cloud fails, and how. All of it ends when the weather clears. */
import { noneOf } from '../world/trouble.ts';

/** Shares of calls, where nothing else is said. */
export const allCloudTrouble = {
  /** Refused with 429 and a time to wait. */
  throttled: 0.02,
  /** Answered with a breakdown, before the work or after it. */
  broken: 0.01,
  /** Answered by something else than the cloud, before the work or after it. */
  foreignAnswers: 0.003,
  /** Of calls: the work is done, and the connection breaks. */
  lostAnswers: 0.01,
  /** Never answered, and nothing is done. */
  hung: 0.003,
  /** They take up to a minute, which is more than the caller waits, before the work or after it. */
  slow: 0.02,
  /** Of clouds: each call is answered when its work is done, which takes up to half a minute. */
  patient: 0.2,
  /** Of creates: the quota, or a size in a zone, is used up; it lasts for minutes. */
  exhausted: 0.005,
  /** The credentials are refused; it lasts for minutes. */
  credentials: 0.0005,
  /** Of creates: a size in a zone is not offered any more; it lasts for minutes. */
  notOffered: 0.001,
  /** Of creates: the cloud promises the instance, and makes it seconds to ninety minutes later. */
  waiting: 0.08,
  /** Of creates: lists have the new instance late, as late as the driver allows. */
  lateLists: 0.2,
  /** An hour: another program makes an instance, under a new name or one of ours. */
  foreignAnHour: 2,
  /** An hour: an instance with tags of ours and no Machine turns up. */
  orphansAnHour: 0.5,
};

export type CloudTrouble = Record<keyof typeof allCloudTrouble, number>;

export const calmCloud: CloudTrouble = noneOf(allCloudTrouble);
