/** Changes to a Node so that it has what its Machine says. Fields of others are left alone. */
import { annotations, finalizers, labels } from '../../api/constants.ts';
import type { Taint } from '../../api/machine.ts';
import { defined } from '../../values/defined.ts';
import { mergePatchOf } from '../../values/merge-patch.ts';
import { isRecord } from '../../values/is-record.ts';

/** `spec.nodeTemplate` of a Machine, as far as it has an effect; and the same parts of a Node. */
export interface NodeTemplate {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  taints?: Taint[];
}

/** Null: the key is to go. */
export type TextChanges = Record<string, string | null>;

export interface NodeTemplateChange {
  labels: TextChanges;
  annotations: TextChanges;
  /** The whole list; absent when it stays as it is. */
  taints?: Taint[];
  /** Those that stay although they may have been applied: nothing but the Node says so. */
  keptTaints?: Taint[];
  /**
   * The Node's note of what was applied last is unreadable. It counts as nothing, and is rewritten.
   */
  isLastAppliedCorrupt: boolean;
}

export interface WantedTemplate {
  machineName: string;
  template: NodeTemplate;
  /** The template that was last applied, as far as the machine's workflow knows. */
  applied?: NodeTemplate | undefined;
}

/**
 * Keys of the template are set, those that were last applied and are wanted no more are removed,
 * all else stays. The last applied template stands on the Node as well, where its kubelet may
 * write.
 */
export function planNodeTemplate(node: NodeTemplate, wanted: WantedTemplate): NodeTemplateChange {
  const template = withoutOurKeys(wanted.template);
  const lastApplied = lastAppliedIn(node.annotations);
  const last = withoutOurKeys(wanted.applied ?? withoutRestricted(lastApplied ?? {}));
  const isNoteTrue = lastApplied && mergePatchOf(lastApplied, wanted.template) === undefined;
  const note = isNoteTrue ? {} : { [annotations.lastAppliedNodeTemplate]: noteOf(wanted.template) };
  return defined({
    labels: {
      ...textChanges(node.labels, { last: last.labels, wanted: template.labels }),
      ...textChanges(node.labels, { wanted: { [labels.machineName]: wanted.machineName } }),
    },
    annotations: {
      ...textChanges(node.annotations, { last: last.annotations, wanted: template.annotations }),
      ...note,
    },
    taints: taintsAfter(node.taints ?? [], {
      last: last.taints,
      wanted: dueTaints(template.taints, {
        present: node.taints,
        last: (wanted.applied ?? lastApplied)?.taints,
      }),
    }),
    keptTaints: wanted.applied ? undefined : keptTaints(node, lastApplied, template),
    isLastAppliedCorrupt: lastApplied === undefined,
  });
}

/** A Node, as far as its Machine has a say in it. */
export interface EquippedNode extends NodeTemplate {
  finalizers?: string[];
}

/**
 * Others took away or changed what its Machine has put there, by the note of it on the Node. A Node
 * that has nothing of its Machine has not joined yet.
 */
export function isStripped({ finalizers: present = [], ...node }: EquippedNode): boolean {
  const notes = node.annotations ?? {};
  const text = notes[annotations.lastAppliedNodeTemplate];
  const hasFinalizer = present.includes(finalizers.node);
  const hasName = textAt(node.labels ?? {}, labels.machineName) !== undefined;
  if (hasFinalizer && hasName) return text !== undefined && lacksApplied(node, text);
  return hasFinalizer || hasName || ourAnnotations.some((name) => Object.hasOwn(notes, name));
}

function lacksApplied(node: NodeTemplate, note: string): boolean {
  const applied = parseLastApplied(note);
  if (!applied) return true;
  const { labels: names, annotations: notes, taints } = withoutOurKeys(applied);
  return (
    !isEmpty(textChanges(node.labels, { wanted: names })) ||
    !isEmpty(textChanges(node.annotations, { wanted: notes })) ||
    taintsAfter(node.taints ?? [], { wanted: withoutStartTaints(taints) }) !== undefined
  );
}

/**
 * Names the Machine for the cluster autoscaler of the Kubernetes project, in a write that is made
 * anyway: without these annotations it only warns, so a Node that lacks nothing else is left alone.
 */
export function withNameOfMachine(
  change: NodeTemplateChange,
  node: NodeTemplate,
  { namespace, name }: { namespace: string; name: string },
): NodeTemplateChange {
  const { labels: names, annotations: notes, taints } = change;
  if (isEmpty(names) && isEmpty(notes) && taints === undefined) return change;
  const wanted = { [annotations.nodeMachine]: name, [annotations.nodeMachineNamespace]: namespace };
  return { ...change, annotations: { ...notes, ...textChanges(node.annotations, { wanted }) } };
}

function isEmpty(changes: TextChanges): boolean {
  return Object.keys(changes).length === 0;
}

const ourAnnotations: readonly string[] = [
  annotations.nodeMachine,
  annotations.nodeMachineNamespace,
  annotations.lastAppliedNodeTemplate,
  annotations.lastAppliedVirtualCapacity,
];

/** A template cannot set what the controller writes on a Node for itself. */
function withoutOurKeys(template: NodeTemplate): NodeTemplate {
  const { labels: names = {}, annotations: notes = {} } = template;
  return {
    ...template,
    labels: without(names, [labels.machineName]),
    annotations: without(notes, ourAnnotations),
  };
}

/**
 * Only the keys that a kubelet may take off its own Node by itself: admission (NodeRestriction)
 * keeps it from taints, and from labels of Kubernetes that are not its own.
 */
function withoutRestricted({ labels: names = {}, annotations: notes }: NodeTemplate): NodeTemplate {
  return defined({
    labels: without(names, Object.keys(names).filter(isOfKubernetes)),
    annotations: notes,
  });
}

function isOfKubernetes(key: string): boolean {
  return /^([^/]*\.)?(kubernetes|k8s)\.io\//.test(key);
}

function keptTaints(
  { taints: present = [] }: NodeTemplate,
  { taints: noted = [] }: NodeTemplate = {},
  { taints: wanted = [] }: NodeTemplate,
): Taint[] | undefined {
  const [ours, still] = [byId(noted), byId(wanted)];
  const kept = present.filter((taint) => ours.has(idOf(taint)) && !still.has(idOf(taint)));
  return kept.length === 0 ? undefined : kept;
}

function without(texts: Record<string, string>, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => !keys.includes(key)));
}

interface ThreeWay<T> {
  last?: T | undefined;
  wanted?: T | undefined;
}

function textChanges(
  present: Record<string, string> = {},
  { last = {}, wanted = {} }: ThreeWay<Record<string, string>>,
): TextChanges {
  const set = Object.entries(wanted).filter(([key, value]) => textAt(present, key) !== value);
  const removed = Object.keys(last)
    .filter((key) => textAt(present, key) !== undefined && textAt(wanted, key) === undefined)
    .map((key) => [key, null] as const);
  return Object.fromEntries([...set, ...removed]);
}

function textAt(texts: Record<string, string>, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

/**
 * Undefined when nothing is to be done. A taint is known by key and effect; of two in one template
 * the last one holds.
 */
function taintsAfter(
  present: readonly Taint[],
  { last = [], wanted = [] }: ThreeWay<Taint[]>,
): Taint[] | undefined {
  const wantedLast = byId(wanted);
  const held = new Set(present.map(textOf));
  const missing = [...wantedLast.values()].filter((taint) => !held.has(textOf(taint)));
  const [replaced, applied] = [byId(missing), byId(last)];
  const kept = present.filter((taint) => {
    const id = idOf(taint);
    return !replaced.has(id) && (wantedLast.has(id) || !applied.has(id));
  });
  if (missing.length === 0 && kept.length === present.length) return undefined;
  return [...kept, ...missing.map(ordered)];
}

/** The last of two taints with one id, in its position. A note on a Node may name thousands. */
function byId(taints: readonly Taint[]): Map<string, Taint> {
  const found = new Map<string, Taint>();
  for (const taint of taints) {
    found.delete(idOf(taint));
    found.set(idOf(taint), taint);
  }
  return found;
}

/** `timeAdded` says since when, not what. */
const textOf = ({ key, effect, value = '' }: Taint): string => JSON.stringify([key, effect, value]);

function ordered({ key, value, effect, timeAdded }: Taint): Taint {
  return defined({ key, value, effect, timeAdded });
}

/**
 * Byte for byte as MCM v0.62.1 writes it, so that after a change of the controller nothing looks
 * edited.
 */
function noteOf({ labels: names, annotations: notes, taints }: NodeTemplate): string {
  const template = {
    metadata: { labels: names, annotations: notes },
    spec: { taints: taints?.map(ordered) },
  };
  return asGoWrites(JSON.stringify(template));
}

/**
 * Go escapes what could be mistaken for HTML, and two line ends that JavaScript once did not take.
 */
function asGoWrites(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A Node says that just this was last applied. */
export function isNoted(notes: NodeTemplate['annotations'], template: NodeTemplate): boolean {
  const noted = lastAppliedIn(notes);
  return noted !== undefined && mergePatchOf(noted, template) === undefined;
}

/** Undefined when it cannot be read. */
function lastAppliedIn(notes: NodeTemplate['annotations'] = {}): NodeTemplate | undefined {
  const text = notes[annotations.lastAppliedNodeTemplate];
  return text === undefined ? {} : parseLastApplied(text);
}

/** Undefined when it is not what a controller writes there. */
function parseLastApplied(text: string): NodeTemplate | undefined {
  const template = parsed(text);
  if (!isRecord(template)) return undefined;
  const { metadata, spec } = template;
  const names = partOf(metadata, 'labels', {});
  const notes = partOf(metadata, 'annotations', {});
  const taints = partOf(spec, 'taints', []);
  if (!areTexts(names) || !areTexts(notes) || !areTaints(taints)) return undefined;
  return { labels: names, annotations: notes, taints };
}

/** To Go, what is absent or null is empty; undefined when the whole is no object. */
function partOf(whole: unknown, name: string, empty: object): unknown {
  const record = whole ?? {};
  return isRecord(record) ? (record[name] ?? empty) : undefined;
}

/** Undefined when it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Another client wrote something else there; the caller says so.
    return undefined;
  }
}

function areTexts(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}

function areTaints(value: unknown): value is Taint[] {
  return Array.isArray(value) && value.every(isTaint);
}

function isTaint(value: unknown): value is Taint {
  return isRecord(value) && typeof value['key'] === 'string' && typeof value['effect'] === 'string';
}

/**
 * The first is the custom of drivers for networks and volumes; the others are those of Kubernetes,
 * of its autoscaler and its readiness controller, and of Gardener.
 */
const startKeys = [
  /\/agent-not-ready$/,
  /^node\.cloudprovider\.kubernetes\.io\/uninitialized$/,
  /^(?:startup|ignore)-taint\.cluster-autoscaler\.kubernetes\.io\//,
  /^readiness\.k8s\.io\//,
  /^node\.gardener\.cloud\/critical-components-not-ready$/,
];

const isOfStart = ({ key }: Taint): boolean => startKeys.some((pattern) => pattern.test(key));

const withoutStartTaints = (taints: readonly Taint[] = []): Taint[] =>
  taints.filter((taint) => !isOfStart(taint));

/** Without those that were put on before and are gone: put back, one could empty a healthy Node. */
function dueTaints(
  wanted: readonly Taint[] = [],
  { present = [], last = [] }: Record<'present' | 'last', readonly Taint[] | undefined>,
): Taint[] {
  const [there, before] = [present, last].map((taints) => new Set(taints.map(idOf)));
  return wanted.filter(
    (taint) => !isOfStart(taint) || there?.has(idOf(taint)) || !before?.has(idOf(taint)),
  );
}

/** A taint is known by these. */
const idOf = ({ key, effect }: Taint): string => JSON.stringify([key, effect]);
