/** User data on its way to a cloud, which may be bytes. */
import type { CreateRequest } from './driver.ts';
import { DriverError } from './driver.ts';

type UserDataRequest = Pick<CreateRequest, 'userData' | 'userDataBytes'>;

/** As AWS and Azure take it; empty if there is none. */
export function base64UserData({ userData, userDataBytes }: UserDataRequest): string {
  return Buffer.from(userDataBytes ?? userData).toString('base64');
}

/** For clouds that take text only, once it was looked whether the instance is there. */
export function requireText({ userDataBytes }: UserDataRequest): void {
  if (!userDataBytes) return;
  const message =
    "Invalid value: the Secret's userData is not UTF-8, as if it was packed with gzip, and this cloud takes text only: put it in as text";
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: true });
}
