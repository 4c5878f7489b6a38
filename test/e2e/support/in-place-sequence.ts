/**
 * What an update in place writes, in an order that does not change with the run: for each machine,
 * in the order of their selection, the values that each of these had one after the other. Names are
 * those of the roles.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import { inPlaceReasonOf, inPlaceUpdate } from '../../../workflows/api/in-place.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { NodeObject } from './cluster.ts';
import { taintsOf } from './mcm-facts.ts';
import { nextClass } from './in-place-story.ts';
import { momentsOf, ofKind, type Objects, type Version } from './object-history.ts';

/** Role and fact, `first: condition` -> its values, one after the other. */
export type Sequence = Record<string, string[]>;

/**
 * From the change of the template on. Without the conditions that a Machine has of its Node: which
 * of them it ever has depends on the moment at which the Node is read.
 */
export function sequenceOf(versions: readonly Version[]): Sequence {
  const roles = rolesIn(versions);
  const sequence: Sequence = {};
  for (const objects of momentsOf(versions)) {
    if (!hasBegun(objects)) continue;
    for (const [fact, value] of Object.entries(factsOf(objects, roles))) {
      if (fact.endsWith(copied)) continue;
      const values = (sequence[fact] ??= []);
      if (values.at(-1) !== value) values.push(value);
    }
  }
  return sequence;
}

/** What was so before the other was so for the first time. Undefined where one never was. */
export function isBefore(
  versions: readonly Version[],
  [earlier, later]: readonly [fact: string, fact: string],
): boolean | undefined {
  const roles = rolesIn(versions);
  const firstTime = (wanted: string): number => {
    let index = 0;
    for (const objects of momentsOf(versions)) {
      const facts = Object.entries(factsOf(objects, roles));
      if (hasBegun(objects) && facts.some(([fact, value]) => `${fact} ${value}` === wanted)) {
        return index;
      }
      index += 1;
    }
    return Infinity;
  };
  const times = [earlier, later].map(firstTime);
  return times.includes(Infinity) ? undefined : (times[0] ?? 0) < (times[1] ?? 0);
}

function hasBegun(objects: Objects): boolean {
  const [deployment] = ofKind(objects, 'MachineDeployment');
  return deployment?.spec.template.spec?.class?.name === nextClass;
}

const places = ['first', 'second', 'third'];

/** Name -> role. */
type Roles = ReadonlyMap<string, string>;

function rolesIn(versions: readonly Version[]): Roles {
  const roles = new Map<string, string>();
  const sets = new Set<string>();
  const selected = new Set<string>();
  for (const { kind, name, object } of versions) {
    if (kind === 'Node' && object?.metadata.labels?.[labels.selectedForUpdate] !== undefined) {
      selected.add(name);
    }
    if (kind === 'MachineSet') sets.add(name);
    // Messages name budgets by it.
    if (kind === 'MachineSet' && object) roles.set(object.metadata.namespace ?? '', 'namespace');
  }
  [...sets].forEach((name, index) => roles.set(name, index === 0 ? 'old set' : 'new set'));
  [...selected].forEach((name, index) => roles.set(name, places[index] ?? 'one too many'));
  return roles;
}

function factsOf(objects: Objects, roles: Roles): Record<string, string> {
  const facts: Record<string, string> = {};
  const note = ({ metadata: { name } }: KubeObject, found: Record<string, string>): void => {
    for (const [fact, value] of Object.entries(found)) {
      facts[`${roles.get(name) ?? name}: ${fact}`] = inRoles(value, roles);
    }
  };
  for (const node of ofKind(objects, 'Node')) note(node, factsOfNode(node));
  for (const machine of ofKind(objects, 'Machine')) note(machine, factsOfMachine(machine));
  for (const set of ofKind(objects, 'MachineSet')) note(set, factsOfSet(set));
  return facts;
}

function factsOfNode(node: NodeObject): Record<string, string> {
  const { labels: held = {}, annotations: notes = {} } = node.metadata;
  const condition = node.status?.conditions?.find(({ type }) => type === inPlaceUpdate);
  const known = [labels.candidateForUpdate, labels.selectedForUpdate, labels.updateResult];
  return {
    labels: known.flatMap((key) => (key in held ? [`${shortOf(key)}=${held[key]}`] : [])).join(' '),
    'failed reason': notes[annotations.updateFailedReason] ?? '',
    condition: condition ? `${condition.reason} ${condition.status}: ${condition.message}` : '',
    cordon: node.spec?.unschedulable === true ? 'cordoned' : '',
    // That of a cordon comes a moment later, from Kubernetes.
    taints: taintsOf(node)
      .filter((taint) => !taint.startsWith('node.kubernetes.io/'))
      .join(' '),
    'scale-down-disabled': notes[annotations.scaleDownDisabled] ?? '',
  };
}

const copied = 'copied condition';

function factsOfMachine({ metadata, spec, status }: Machine): Record<string, string> {
  const { currentStatus, lastOperation = {}, conditions } = status ?? {};
  const { type = '', state = '', description = '' } = lastOperation;
  return {
    phase: currentStatus?.phase ?? '',
    operation: `${type} ${state}: ${description}`,
    [copied]: inPlaceReasonOf(conditions) ?? '',
    set: (metadata.ownerReferences ?? []).map(({ name }) => name).join(' '),
    'label update-result': metadata.labels?.[labels.updateResult] ?? '',
    class: spec.class?.name ?? '',
    deletion: metadata.deletionTimestamp === undefined ? '' : 'going',
  };
}

function factsOfSet({ metadata, spec }: MachineSet): Record<string, string> {
  const { [labels.scaleUpDisabled]: closed = '' } = metadata.labels ?? {};
  return {
    replicas: String(spec.replicas ?? 0),
    'scale-up-disabled': closed,
    'prefer-no-schedule': metadata.annotations?.[annotations.preferNoSchedule] ?? '',
  };
}

const shortOf = (key: string): string => key.replace(/^.*\//, '');

/** The longest first: a name of a set begins those of its machines. */
function inRoles(text: string, roles: Roles): string {
  const names = [...roles.keys()].toSorted((a, b) => b.length - a.length);
  return names.reduce(
    (words, name) => words.replaceAll(name, (roles.get(name) ?? '').toUpperCase()),
    text,
  );
}
