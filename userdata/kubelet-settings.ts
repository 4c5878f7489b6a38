/** Settings of the kubelet: from the spellings of a config to the fields of KubeletConfiguration. */
import type { UserDataConfig } from './config.ts';

type Settings = NonNullable<UserDataConfig['kubelet']>;

interface Form {
  pattern: RegExp;
  allowed: string;
}

const number = String.raw`\d+(\.\d+)?`;
/** As resource.Quantity of Kubernetes is written. */
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

/** Values, or values of a map. Fields that are not here have their form in the schema. */
const forms: Readonly<Record<string, Form>> = {
  kubeReserved: quantity,
  systemReserved: quantity,
  containerLogMaxSize: quantity,
  evictionHard: bound,
  evictionSoft: bound,
  evictionMinimumReclaim: bound,
  evictionSoftGracePeriod: duration,
  imageMinimumGCAge: duration,
  imageMaximumGCAge: duration,
  streamingConnectionIdleTimeout: duration,
  shutdownGracePeriod: duration,
  shutdownGracePeriodCriticalPods: duration,
  evictionPressureTransitionPeriod: duration,
};

const maps = [
  'kubeReserved',
  'systemReserved',
  'evictionHard',
  'evictionSoft',
  'evictionSoftGracePeriod',
  'evictionMinimumReclaim',
];

/** By their names in KubeletConfiguration. */
export function kubeletSettings(settings: Settings = {}): Record<string, unknown> {
  const { swapBehavior, ...fields } = settings;
  const read = Object.entries(fields).map(([spelled, value]) => {
    const name = canonical(spelled);
    return [name, valueOf(name, value)] as const;
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

function valueOf(name: string, value: unknown): unknown {
  if (maps.includes(name)) return mapOf(value);
  // Kubermatic's annotations and Gardener's charts have texts where the kubelet wants numbers.
  return typeof value === 'string' && /^\d+$/.test(value) && !forms[name] ? Number(value) : value;
}

/** `cpu=200m,memory=300Mi`; of evictions also `memory.available<100Mi`. */
function mapOf(value: unknown): Record<string, string> {
  if (typeof value !== 'string') return { ...Object(value) };
  const pairs = value
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => {
      const [, key = pair.trim(), text = ''] = /^\s*([^=<\s]+)\s*[=<]\s*(\S+)\s*$/.exec(pair) ?? [];
      return [key, text] as const;
    });
  return Object.fromEntries(pairs);
}

export function kubeletFaults(settings: Settings = {}): string[] {
  const twice = Object.keys(settings).filter(
    (name) => canonical(name) !== name && canonical(name) in settings,
  );
  const read = kubeletSettings(settings);
  return [
    ...twice.map((name) => `kubelet.${name} and kubelet.${canonical(name)} are the same: give one`),
    ...Object.entries(forms).flatMap(([name, form]) => formFaults(name, read[name], form)),
    ...parallelFaults(read),
  ];
}

function formFaults(name: string, value: unknown, { pattern, allowed }: Form): string[] {
  if (value === undefined) return [];
  const values = maps.includes(name)
    ? Object.entries(mapOf(value)).map(([key, text]) => [`${name}.${key}`, text] as const)
    : [[name, String(value)] as const];
  return values
    .filter(([, text]) => !pattern.test(text))
    .map(([field, text]) => `kubelet.${field}: ${JSON.stringify(text)} is not ${allowed}`);
}

/** The kubelet does not start with both. */
function parallelFaults({ maxParallelImagePulls, serializeImagePulls }: Record<string, unknown>) {
  if (maxParallelImagePulls === undefined || serializeImagePulls === false) return [];
  return Number(maxParallelImagePulls) > 1
    ? [
        `kubelet.maxParallelImagePulls: ${String(maxParallelImagePulls)} needs kubelet.serializeImagePulls: false`,
      ]
    : [];
}
