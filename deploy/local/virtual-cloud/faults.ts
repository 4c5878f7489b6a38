/** Faults on command: what goes wrong with calls and machines whose name matches. */
import { machineErrorCodes } from '../../../workflows/api/failures.ts';
import type { MachineErrorCode } from '../../../workflows/api/failures.ts';
import { Fields } from './fields.ts';
import type { Fate, NodeConditionFault } from './instance.ts';
import { matchesGlob } from './name-glob.ts';

export const operations = [
  'create',
  'list',
  'describe',
  'delete',
  'initialize',
  'console',
  'volumes',
] as const;
export type Operation = (typeof operations)[number];

/** These spoil a call. */
const callKinds = ['error', 'throttle', 'hang', 'loseAnswer'] as const;
/** These refuse a new machine; a token that is known is still answered. */
const refusalKinds = ['quota', 'zoneFull'] as const;
/** These decide the fate of a new machine. */
const fateKinds = ['neverJoin', 'joinNotReady', 'unhealthyLater', 'vanish'] as const;
const kinds = [...callKinds, ...refusalKinds, ...fateKinds];

type CallKind = (typeof callKinds)[number];
type RefusalKind = (typeof refusalKinds)[number];
type FateKind = (typeof fateKinds)[number];

export interface Fault {
  id: string;
  operation: Operation | '*';
  /** Glob of instance names. */
  match: string;
  kind: CallKind | RefusalKind | FateKind;
  /** How often it fires; absent: always. */
  times?: number;
  fired: number;
  seconds?: number;
  /** Only for kind `error`. */
  code?: MachineErrorCode;
  message?: string;
  /** Only for kind `zoneFull`: the one zone that is full. */
  zone?: string;
  /** Only for kind `unhealthyLater`. */
  condition?: NodeConditionFault;
  /**
   * For kinds `neverJoin` and `joinNotReady`: lines that the machine also prints to its console.
   */
  console?: string;
}

const faultFields = [
  'id',
  'operation',
  'match',
  'kind',
  'times',
  'fired',
  'seconds',
  'code',
  'message',
  'zone',
  'condition',
  'console',
];

/** `id` is given to a fault that has none. The answer to `GET /faults` can be put back. */
export function parseFault(value: unknown, id: string, path = ''): Fault {
  const fields = new Fields(value, path).allow(...faultFields);
  const kind = fields.oneOf('kind', kinds);
  if (kind === undefined) throw fields.refusal('kind', `one of ${kinds.join(', ')}`);
  return {
    id: fields.text('id') ?? id,
    operation: operationOf(fields, kind),
    match: fields.text('match') ?? '*',
    kind,
    ...limitsOf(fields),
    ...textsOf(fields),
    ...codeOf(fields, kind),
    ...conditionOf(fields, kind),
    ...consoleOf(fields, kind),
  };
}

function limitsOf(fields: Fields): Pick<Fault, 'times' | 'fired' | 'seconds'> {
  const times = fields.count('times', { min: 1, max: 1_000_000 });
  const seconds = fields.number('seconds', { min: 0, max: 86_400 });
  return {
    ...(times !== undefined && { times }),
    fired: fields.count('fired', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0,
    ...(seconds !== undefined && { seconds }),
  };
}

function textsOf(fields: Fields): Pick<Fault, 'message' | 'zone'> {
  const message = fields.text('message');
  const zone = fields.text('zone');
  return { ...(message !== undefined && { message }), ...(zone !== undefined && { zone }) };
}

function operationOf(fields: Fields, kind: Fault['kind']): Fault['operation'] {
  const isOfCalls = callKinds.some((candidate) => candidate === kind);
  const operation = fields.oneOf('operation', [...operations, '*']);
  if (isOfCalls) return operation ?? '*';
  if (operation === undefined || operation === 'create' || operation === '*') return 'create';
  throw fields.refusal('operation', `create: no other operation can have the fault ${kind}`);
}

function codeOf(fields: Fields, kind: Fault['kind']): { code?: MachineErrorCode } {
  const code = fields.oneOf('code', machineErrorCodes);
  if (kind === 'error') return { code: code ?? 'Internal' };
  if (code === undefined) return {};
  throw fields.refusal(
    'code',
    `possible here: only faults of the kind error have a code, not ${kind}`,
  );
}

function conditionOf(fields: Fields, kind: Fault['kind']): { condition?: NodeConditionFault } {
  if (kind !== 'unhealthyLater') return {};
  const condition = new Fields(fields.value('condition') ?? {}, 'condition').allow(
    'type',
    'status',
    'reason',
    'message',
  );
  const type = condition.text('type') ?? 'KernelDeadlock';
  const isReady = type === 'Ready';
  return {
    condition: {
      type,
      status:
        condition.oneOf('status', ['True', 'False', 'Unknown']) ?? (isReady ? 'False' : 'True'),
      reason: condition.text('reason') ?? (isReady ? 'KubeletNotReady' : 'VirtualCloudFault'),
      message: condition.text('message') ?? 'a fault of the virtual cloud',
    },
  };
}

function consoleOf(fields: Fields, kind: Fault['kind']): { console?: string } {
  const text = fields.text('console');
  if (text === undefined) return {};
  if (kind === 'neverJoin' || kind === 'joinNotReady') return { console: text };
  throw fields.refusal(
    'console',
    `possible here: only machines of neverJoin and joinNotReady print more, not ${kind}`,
  );
}

export interface Target {
  operation: Operation;
  name: string;
  zone?: string;
}

/**
 * The first fault of these kinds that is left for the target. Pure: the caller records that it
 * fired.
 */
export function nextFault(
  faults: readonly Fault[],
  target: Target,
  wanted: 'call' | 'refusal' | FateKind,
): Fault | undefined {
  return faults.find(
    (fault) =>
      isWanted(fault, wanted) &&
      (fault.times === undefined || fault.fired < fault.times) &&
      concerns(fault, target),
  );
}

function isWanted({ kind }: Fault, wanted: 'call' | 'refusal' | FateKind): boolean {
  if (wanted === 'call') return callKinds.some((candidate) => candidate === kind);
  if (wanted === 'refusal') return refusalKinds.some((candidate) => candidate === kind);
  return kind === wanted;
}

function concerns({ operation, match, zone }: Fault, target: Target): boolean {
  const isOperation = operation === '*' || operation === target.operation;
  const isZone = zone === undefined || target.zone === undefined || zone === target.zone;
  return isOperation && isZone && matchesGlob(target.name, match);
}

function joinOf(never: Fault | undefined, notReady: Fault | undefined): Fate {
  const prints = (never ?? notReady)?.console;
  return {
    ...(never && { neverJoins: true }),
    ...(notReady && { joinsNotReady: true }),
    ...(prints !== undefined && { prints }),
  };
}

/** Effects of the faults on a new machine, and the faults that fired. */
export function fateOf(faults: readonly Fault[], target: Target): { fate: Fate; fired: Fault[] } {
  const found = new Map(fateKinds.map((kind) => [kind, nextFault(faults, target, kind)] as const));
  const sickening = found.get('unhealthyLater');
  const vanishing = found.get('vanish');
  const fate: Fate = {
    ...joinOf(found.get('neverJoin'), found.get('joinNotReady')),
    ...(sickening?.condition && {
      sickens: { afterSeconds: sickening.seconds ?? 0, condition: sickening.condition },
    }),
    ...(vanishing && { vanishes: { afterSeconds: vanishing.seconds ?? 0 } }),
  };
  return { fate, fired: [...found.values()].filter((fault) => fault !== undefined) };
}
