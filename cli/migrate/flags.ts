/** The flags of MCM's two processes -> values of the chart. */
import { defaultOf, type Component } from '../../workers/config/flags/flag.ts';
import type { mcmNames } from '../../workers/config/mcm-name.ts';
import { readFlags } from '../../workers/config/flags/parse.ts';
import { flagOf, type FlagName } from '../../workers/config/flags/table.ts';
import { containersOf, type Container, type Deployment } from '../install/deployments.ts';

/** Flag -> its value as it was written. */
type FlagTexts = Readonly<Record<string, string>>;

export interface Translation {
  /** Values of the chart; a part that is empty is absent. */
  values: {
    flags?: FlagTexts;
    watcher?: { flags: FlagTexts };
    workers?: { worker: { flags: FlagTexts } };
    machines?: { namespace: string };
    target?: { cluster: 'none' };
  };
  /** Accepted without an effect: `--name: why`. */
  withoutEffect: string[];
  /** Flags that the chart, or the cluster, replaces: `--name: why`. */
  leftOut: string[];
  /** Unknown, or with a value that is not allowed. */
  faults: string[];
  /** True if a process of MCM acts without its Lease. */
  isWithoutLease: boolean;
}

/** Flags as they were written for one of MCM's processes, which ours stands in for. */
interface CommandLine {
  component: Component;
  words: readonly string[];
}

/** MCM has no process like the front. */
type FlagParts = Record<'flags' | keyof typeof mcmNames, Record<string, string>>;

const chartSays: Partial<Record<FlagName, string>> = {
  'control-kubeconfig': 'values control.*',
  'target-kubeconfig': 'values target.*',
  port: 'the chart chooses the ports',
  address: 'value listenAddress',
  'log-format': 'the chart writes JSON',
  'leader-elect': 'a watcher always needs the Leases',
  'leader-elect-resource-lock': 'it is always a Lease',
};

export function translate(lines: readonly CommandLine[], served: string): Translation {
  const given = new Map<FlagName, Partial<Record<Component, string>>>();
  const faults: string[] = [];
  for (const { component, words } of lines) {
    const read = readFlags(words, { component });
    faults.push(...read.faults);
    for (const [name, text] of read.texts)
      given.set(name, { ...given.get(name), [component]: text });
  }
  const parts: FlagParts = {
    flags: {},
    watcher: {},
    worker: {},
  };
  const withoutEffect: string[] = [];
  const leftOut: string[] = [];
  for (const [name, texts] of given) {
    const flag = flagOf(name);
    const said = chartSays[name];
    if (name === 'namespace') continue;
    if (flag.noop !== undefined) withoutEffect.push(`--${name}: ${flag.noop}`);
    else if (said !== undefined) leftOut.push(`--${name}: ${said}`);
    else put(parts, name, texts);
  }
  const isWithoutTarget = given.get('target-kubeconfig')?.worker === 'none';
  return {
    values: valuesOf(parts, { served, isWithoutTarget }),
    withoutEffect: withoutEffect.toSorted(),
    leftOut: leftOut.toSorted(),
    faults: [...new Set(faults)],
    isWithoutLease: Object.values(given.get('leader-elect') ?? {}).some(
      (text) => flagOf('leader-elect').kind.parse(text) === false,
    ),
  };
}

/** Flags for machines are the machine controller's; the rest differs only where MCM's does. */
function put(parts: FlagParts, name: FlagName, texts: Partial<Record<Component, string>>): void {
  const flag = flagOf(name);
  const { watcher, worker } = texts;
  const isOfMachines = flag.group === 'Machines' || flag.only !== undefined;
  if (isOfMachines || watcher === worker) {
    const text = worker ?? watcher ?? '';
    if (!isDefault(name, text)) parts.flags[name] = text;
    return;
  }
  for (const component of ['watcher', 'worker'] as const) {
    const text = texts[component];
    if (text !== undefined && text !== defaultOf(flag, { component }))
      parts[component][name] = text;
  }
}

function isDefault(name: FlagName, text: string): boolean {
  const flag = flagOf(name);
  return (['watcher', 'worker'] as const).every((component) => {
    const parsed = [text, defaultOf(flag, { component })].map((one) => flag.kind.parse(one));
    return JSON.stringify(parsed[0]) === JSON.stringify(parsed[1]);
  });
}

const isFilled = (texts: FlagTexts): boolean => Object.keys(texts).length > 0;

function valuesOf(
  { flags, watcher, worker }: FlagParts,
  { served, isWithoutTarget }: { served: string; isWithoutTarget: boolean },
): Translation['values'] {
  return {
    ...(isFilled(flags) && { flags }),
    ...(isFilled(watcher) && { watcher: { flags: watcher } }),
    ...(isFilled(worker) && { workers: { worker: { flags: worker } } }),
    machines: { namespace: served },
    ...(isWithoutTarget && { target: { cluster: 'none' as const } }),
  };
}

const managerName = 'machine-controller-manager';

/** The flags of each container of MCM, and the names of containers that are not MCM's. */
export function commandLinesOf(mcm: readonly Deployment[]): {
  lines: CommandLine[];
  others: string[];
} {
  const lines: CommandLine[] = [];
  const others: string[] = [];
  for (const container of mcm.flatMap(containersOf)) {
    const { name, command = [], args = [] } = container;
    const component = componentOf(container);
    if (component === undefined) others.push(name);
    else lines.push({ component, words: [...command.slice(1), ...args] });
  }
  return { lines, others };
}

/** The controller manager, where our watcher is; the machine controller, where our worker is. */
export function componentOf({ name, image = '', command = [] }: Container): Component | undefined {
  const program = (command[0] ?? imageName(image)).split('/').at(-1) ?? '';
  if (program === managerName) return 'watcher';
  const isController = /machine-controller/.test(`${program} ${imageName(image)} ${name}`);
  return isController ? 'worker' : undefined;
}

/** Without the registry, the tag and the digest. */
function imageName(image: string): string {
  const [tagged = ''] = image.split('@');
  const name = tagged.slice(tagged.lastIndexOf('/') + 1);
  return name.split(':')[0] ?? '';
}

/** Lines of a file: a flag each, also as in a list of YAML. Empty ones and comments are skipped. */
export function wordsIn(file: string): string[] {
  return file
    .split('\n')
    .map((line) => line.replace(/^\s*(- )?/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/^(['"])(.*)\1$/, '$2'));
}

/** As it stands in a file of values. */
export function yamlOf(values: object, indent = ''): string[] {
  return Object.entries(values).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? [`${indent}${key}:`, ...yamlOf(value, `${indent}  `)]
      : [`${indent}${key}: ${JSON.stringify(value)}`],
  );
}
