/** Settings of the kubelet: from the spellings of a config to KubeletConfiguration. */
import type { UserDataConfig } from './config.ts';

type Settings = NonNullable<UserDataConfig['kubelet']>;

interface Form {
  pattern: RegExp;
  allowed: string;
}

const number = String.raw`\d+(\.\d+)?`;
/** As a Quantity of Kubernetes is written. */
const suffix = '([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?';
const quantity: Form = {
  pattern: new RegExp(`^${number}${suffix}$`),
  allowed: 'a quantity, such as 200m or 300Mi',
};
const bound: Form = {
  pattern: new RegExp(`^${number}(%|${suffix})$`),
  allowed: 'a quantity or a percentage, such as 300Mi or 10%',
};
const duration: Form = {
  pattern: new RegExp(`^(${number}(ns|us|ms|s|m|h))+$`),
  allowed: 'a duration, such as 90s or 2m',
};

const texts: Readonly<Record<string, Form>> = {
  containerLogMaxSize: quantity,
  imageMinimumGCAge: duration,
  imageMaximumGCAge: duration,
  streamingConnectionIdleTimeout: duration,
  shutdownGracePeriod: duration,
  shutdownGracePeriodCriticalPods: duration,
  evictionPressureTransitionPeriod: duration,
};

const resources = ['cpu', 'memory', 'ephemeral-storage', 'pid'];
const signals = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
  'allocatableMemory.available',
];

/** With the keys that the kubelet takes: it does not start with others. */
const maps: Readonly<Record<string, { keys: readonly string[]; form: Form }>> = {
  kubeReserved: { keys: resources, form: quantity },
  systemReserved: { keys: resources, form: quantity },
  evictionHard: { keys: signals, form: bound },
  evictionSoft: { keys: signals, form: bound },
  evictionSoftGracePeriod: { keys: signals, form: duration },
  evictionMinimumReclaim: { keys: signals, form: bound },
};

/** By their names in KubeletConfiguration. */
export function kubeletSettings(settings: Settings = {}): Record<string, unknown> {
  const { swapBehavior, ...fields } = settings;
  const read = Object.entries(fields).map(([spelled, value]) => {
    const name = canonical(spelled);
    return [name, maps[name] ? mapOf(value) : valueOf(value)] as const;
  });
  return {
    ...Object.fromEntries(read),
    ...(swapBehavior && { memorySwap: { swapBehavior } }),
  };
}

/** Kubermatic begins its names with a capital letter. */
function canonical(spelled: string): string {
  return spelled.charAt(0).toLowerCase() + spelled.slice(1);
}

/** Annotations of Kubermatic have texts where the kubelet wants numbers. */
function valueOf(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}

/** `cpu=200m,memory=300Mi`; of evictions also `memory.available<100Mi`. */
function mapOf(value: unknown): Record<string, string> {
  if (typeof value !== 'string') return { ...Object(value) };
  const pairs = value
    .split(',')
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair) => {
      const [, key = pair, text = ''] = /^([^=<\s]+)\s*[=<]\s*(\S+)$/.exec(pair) ?? [];
      return [key, text] as const;
    });
  return Object.fromEntries(pairs);
}

/** With which the kubelet would not start. */
export function kubeletFaults(settings: Settings = {}): string[] {
  const values = new Map(
    Object.entries(settings).map(([name, value]) => [canonical(name), { name, value }]),
  );
  const twice = Object.keys(settings).filter((name) => values.get(canonical(name))?.name !== name);
  return [
    ...twice.map((name) => `kubelet.${name} is there in two spellings: give one`),
    ...Object.entries(texts).flatMap(([field, form]) => {
      const { name = '', value } = values.get(field) ?? {};
      return typeof value === 'string' ? formFaults(name, value, form) : [];
    }),
    ...Object.entries(maps).flatMap(([field, { keys, form }]) => {
      const { name = '', value } = values.get(field) ?? {};
      return Object.entries(mapOf(value)).flatMap(([key, text]) =>
        keys.includes(key)
          ? formFaults(`${name}.${key}`, text, form)
          : [`kubelet.${name}: ${JSON.stringify(key)} is not one of ${keys.join(', ')}`],
      );
    }),
    ...pairFaults(settings),
  ];
}

function formFaults(name: string, text: string, { pattern, allowed }: Form): string[] {
  return pattern.test(text) ? [] : [`kubelet.${name}: ${JSON.stringify(text)} is not ${allowed}`];
}

/** Fields that need another. */
function pairFaults(settings: Settings): string[] {
  const { maxParallelImagePulls: pulls, serializeImagePulls, failSwapOn, swapBehavior } = settings;
  const periods = mapOf(settings.evictionSoftGracePeriod);
  const endless = Object.keys(mapOf(settings.evictionSoft)).filter((key) => !(key in periods));
  return [
    ...(pulls !== undefined && Number(pulls) > 1 && serializeImagePulls !== false
      ? [`kubelet.maxParallelImagePulls: ${pulls} needs kubelet.serializeImagePulls: false`]
      : []),
    ...(swapBehavior && failSwapOn !== false
      ? [`kubelet.swapBehavior: "${swapBehavior}" needs kubelet.failSwapOn: false`]
      : []),
    ...endless.map(
      (key) => `kubelet.evictionSoftGracePeriod.${key} is missing: kubelet.evictionSoft has ${key}`,
    ),
  ];
}
