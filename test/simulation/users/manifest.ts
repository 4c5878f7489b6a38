/** Objects as files of users have them. */
import type { Body } from '../../support/api-server/creation.ts';
import type { Found } from './kubectl.ts';

/** As a person writes it again: what the server and the worker say of an object is left out. */
export function manifestOf({ apiVersion, kind, metadata, ...rest }: Found): Body {
  const { status: _status, ...content } = rest;
  const { name, namespace, labels: own } = metadata;
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: { name, ...(namespace !== undefined && { namespace }), ...(own && { labels: own }) },
    ...content,
  };
}
