/** Answers a shell, by @bomb.sh/tab and its adapter for commander. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { RootCommand } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { optionsBehindCommand } from '../command-line/option-order.ts';
import { bashScript, zshScript } from './scripts.ts';
import type { Words } from './words.ts';
import { wordsBefore } from './words.ts';
import { parse } from 'yaml';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { createKubeClient } from '../../kube/client/http-client.ts';
import type { KubeConfig } from '../../kube/client/kubeconfig.ts';
import { kubeConfigFiles, loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import { customResource, node as nodePath } from '../../kube/client/paths.ts';
import { version } from '../../workers/config/version.ts';
import { profileNames } from '../../userdata/profiles.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import type { ObjectKind } from '../command-line/object-reference.ts';

const ownScripts = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
]);

export function printScript(program: Command, shell: string): void {
  const own = ownScripts.get(shell);
  if (own === undefined) register(program).setup(program.name(), program.name(), shell);
  else console.log(own);
}

/** @param words The last one is to be completed; it may be empty. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const root = register(program);
  const last = words.slice(-1);
  const ordered = [...optionsBehindCommand(program, words.slice(0, -1)), ...last];
  addNames(root, await readNames(wordsBefore(ordered)));
  root.parse(ordered);
}

/** The adapter has commands of its own for the two, which are not called. */
function register(program: Command): RootCommand {
  return tab(program, { completionCommandName: 'completion' });
}

/** The library asks for names while it prints them, so they have to be there. */
function addNames(root: RootCommand, { ofObjects, ofOptions }: Names): void {
  // In front of a command.
  for (const [option, names] of ofOptions) {
    const alias = option === 'namespace' ? 'n' : undefined;
    root.option(option, '', (add) => names.forEach((name) => add(name, '')), alias);
  }
  for (const command of root.commands.values()) {
    const objects = command.arguments.get('kind/name');
    if (objects) objects.handler = (add) => ofObjects.forEach((name) => add(name, ''));
    for (const [option, names] of ofOptions) {
      const found = command.options.get(option);
      if (found) found.handler = (add) => names.forEach((name) => add(name, ''));
    }
  }
}

interface Names {
  /** `machine/NAME` and the like. */
  ofObjects: readonly string[];
  /** By the long name of the option. */
  ofOptions: ReadonlyMap<string, readonly string[]>;
}

const none: Names = { ofObjects: [], ofOptions: new Map() };
/** A person waits for no more after the key Tab. */
const longestWaitMs = 1_000;
/** More than this no shell shows in a useful way. */
const mostNames = 500;

/** Names for completion: in time, and none where anything is wrong. */
export async function readNames(words: Words, withinMs = longestWaitMs): Promise<Names> {
  const timer = new AbortController();
  const late = setTimeout(withinMs, none, { signal: timer.signal }).catch(() => none);
  try {
    return await Promise.race([read({ ...words, withinMs }), late]);
  } catch {
    return none;
  } finally {
    timer.abort();
  }
}

interface WantedNames extends Words {
  withinMs: number;
}

async function read(words: WantedNames): Promise<Names> {
  if (words.option === 'context') return ofOption('context', contextsIn(words));
  if (words.option === 'profile') return ofOption('profile', profileNames());
  if (words.option === undefined && words.kinds.length === 0) return none;
  const kubeConfig = loadKubeConfig(words.kubeconfig ?? '', process.env, words.context);
  const namespace = words.namespace ?? kubeConfig.namespace ?? 'default';
  const { withinMs } = words;
  return await inCluster(kubeConfig, withinMs, (kube) => readFrom(kube, namespace, words));
}

async function inCluster<Answer>(
  kubeConfig: KubeConfig,
  withinMs: number,
  act: (kube: KubeClient) => Promise<Answer>,
): Promise<Answer> {
  const userAgent = `millwright-cli/${version}`;
  const kube = createKubeClient({ kubeConfig, userAgent, callTimeoutMs: withinMs });
  try {
    return await act(kube);
  } finally {
    await kube.close();
  }
}

async function readFrom(kube: KubeClient, namespace: string, words: WantedNames): Promise<Names> {
  if (words.option === 'namespace') {
    return ofOption('namespace', fitting(await namesIn(kube, '/api/v1/namespaces'), words));
  }
  if (words.option === 'class') {
    const classes = await namesIn(kube, customResource('machineclasses', namespace));
    return ofOption('class', fitting(classes, words));
  }
  // A list that may not be read hides no other.
  const lists = await Promise.allSettled(
    words.kinds.map(async (kind) => {
      const names = await namesOf(kind, { kube, namespace, words });
      return fitting(
        names.map((name) => `${kind}/${name}`),
        words,
      );
    }),
  );
  const found = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  return { ...none, ofObjects: found };
}

interface NamesScope {
  kube: KubeClient;
  namespace: string;
  words: WantedNames;
}

/** Nodes may be in a cluster of their own. */
async function namesOf(
  kind: ObjectKind,
  { kube, namespace, words }: NamesScope,
): Promise<string[]> {
  const path = kind === 'node' ? nodePath() : customResource(`${kind}s`, namespace);
  const { targetKubeconfig, withinMs } = words;
  return kind === 'node' && targetKubeconfig !== undefined
    ? await inCluster(loadKubeConfig(targetKubeconfig), withinMs, (target) => namesIn(target, path))
    : await namesIn(kube, path);
}

function ofOption(option: string, names: readonly string[]): Names {
  return { ...none, ofOptions: new Map([[option, names]]) };
}

async function namesIn(kube: KubeClient, path: string): Promise<string[]> {
  const query = { as: 'PartialObjectMetadata', resourceVersion: '0' };
  const { items } = await kube.list<KubeObject>(path, query);
  return items.map(({ metadata }) => metadata.name);
}

/** The first of all may lack the one that is wanted. */
function fitting(names: readonly string[], { typed = '' }: Words): string[] {
  return names.filter((name) => name.startsWith(typed)).slice(0, mostNames);
}

/** Reads the files that kubectl reads. */
function contextsIn({ kubeconfig }: Words): string[] {
  const named =
    kubeconfig === undefined ? kubeConfigFiles(process.env['KUBECONFIG']) : [kubeconfig];
  const files = named.length > 0 ? named : [join(homedir(), '.kube', 'config')];
  return files.flatMap((file) => {
    const content: unknown = parse(readFileSync(file, 'utf8'));
    const contexts = isRecord(content) ? content['contexts'] : undefined;
    return Array.isArray(contexts) ? contexts.flatMap(nameIn) : [];
  });
}

function nameIn(context: unknown): string[] {
  const name = isRecord(context) ? context['name'] : undefined;
  return typeof name === 'string' ? [name] : [];
}
