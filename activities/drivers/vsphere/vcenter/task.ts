/** What a vCenter works on. */
import type { Operation } from '../../frame/cloud.ts';
import { childOf, textOf } from './xml.ts';
import { refIn, type ClientCall, type VsphereClient } from './client.ts';
import { isForNothing, taskError, taskFaultIn } from '../errors.ts';

export async function beginTask(
  client: VsphereClient,
  method: string,
  call: ClientCall,
): Promise<Operation> {
  const task = refIn(childOf(await client.call(method, call), 'returnval'));
  return { name: task?.value ?? '', isDone: false };
}

/** Undefined when the vCenter does not know it any more. */
export async function readTask(
  client: VsphereClient,
  name: string,
  signal: AbortSignal,
): Promise<Operation | undefined> {
  const task = { type: 'Task', value: name };
  const info = (await client.read(task, ['info'], signal))?.['info'];
  if (!info) return undefined;
  const state = textOf(info, 'state');
  const percent = textOf(info, 'progress');
  const error = state === 'error' ? childOf(info, 'error') : undefined;
  const reason = error && taskFaultIn(error);
  const time = (path: string): number | undefined => Date.parse(textOf(info, path)) || undefined;
  return {
    name,
    isDone: state === 'success' || state === 'error',
    progress: percent === '' ? state : `${state}, ${percent} %`,
    begunAt: time('startTime') ?? time('queueTime'),
    endedAt: time('completeTime'),
    ...(reason && {
      failure: (deed, of, settled) => taskError(reason, `${deed} instance ${of}`, settled),
      isForNothing: isForNothing(reason),
    }),
  };
}
