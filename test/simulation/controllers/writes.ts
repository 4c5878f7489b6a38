/** Writes of controllers: each to one object only, never to another one of its name. */
import type { KubeObject } from '../../../kube/client/client.ts';
import type { ApiServer } from '../../support/api-server/api-server.ts';
import type { Body } from '../../support/api-server/creation.ts';
import type { DeleteOptions } from '../../support/api-server/deletion.ts';
import { StatusError } from '../../support/api-server/status.ts';

/** The object is gone, or another one has its name by now. */
function isGone(error: unknown): boolean {
  return error instanceof StatusError && [404, 409, 422].includes(error.status.code);
}

/** False when the object is gone, or was changed where that matters. */
function unlessGone(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

export interface Place {
  path: string;
  uid: string;
}

export function deleteObject(
  server: ApiServer,
  { path, uid }: Place,
  options: DeleteOptions = {},
): boolean {
  return unlessGone(() => server.delete(path, { ...options, preconditions: { uid } }));
}

/** A merge patch. */
export function patchObject(server: ApiServer, { path, uid }: Place, body: PatchBody): boolean {
  const { metadata, ...rest } = body;
  const patch = { ...rest, metadata: { ...metadata, uid } };
  return unlessGone(() => server.patch(path, { type: 'merge', body: patch }));
}

interface PatchBody {
  metadata?: object;
  spec?: object;
}

/** Of all that is in the status; a list is replaced. */
export function patchStatus(server: ApiServer, { path, uid }: Place, status: object): boolean {
  const body = { metadata: { uid }, status };
  return unlessGone(() => server.patch(`${path}/status`, { type: 'merge', body }));
}

/** Undefined where one of its name is there. */
export function createObject(server: ApiServer, path: string, body: Body): KubeObject | undefined {
  let created: Partial<KubeObject> = {};
  const isNew = unlessGone(() => {
    created = server.create(path, body);
  });
  const { metadata } = created;
  return isNew && metadata ? { ...created, metadata } : undefined;
}

/** Undefined where there is none. */
export function readObject(server: ApiServer, path: string): KubeObject | undefined {
  if (!server.has(path)) return undefined;
  const { metadata, ...rest }: Partial<KubeObject> = server.get(path);
  return metadata && { ...rest, metadata };
}
