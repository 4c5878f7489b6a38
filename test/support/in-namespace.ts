import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { placeHeader } from '../../workflows/api/place.ts';

/** Gives an activity the header that a workflow of this namespace sends. Before all others. */
export function inNamespace(namespace: string): ActivityInterceptorsFactory {
  const place = defaultPayloadConverter.toPayload({ cluster: 'c', namespace });
  return () => ({
    inbound: {
      execute: (input, next) => next({ ...input, headers: { [placeHeader]: place } }),
    },
  });
}
