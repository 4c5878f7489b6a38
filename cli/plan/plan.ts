import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { podsOnNodes } from '../../activities/drain/pods.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isRefusal } from '../../kube/client/errors.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource, namespaced } from '../../kube/client/paths.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Budget } from '../../workflows/plan/drain/budgets.ts';
import { budgetsOf } from '../../workflows/plan/drain/budgets.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { viewOf } from '../objects/deployment-view.ts';
import { readDeployment } from '../objects/read-object.ts';
import { nodeNameOf } from '../objects/node-pods.ts';
import { inTarget } from '../connection/target.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import type { PastDeletion } from './durations.ts';
import { durationsOf } from './durations.ts';
import { patched } from './patched.ts';
import type { Planned } from './report.ts';
import { answerOf } from './report.ts';
import { simulate } from './simulation.ts';

export interface PlanOptions extends ClusterOptions, OutputOptions, TargetOptions {
  /** A file with MachineDeployments, or a change of one that is there. */
  change: { file: string } | { name: string; replicas?: number; class?: string };
}

export async function plan(scope: ClusterScope, options: PlanOptions): Promise<Answer> {
  const changed = await changedOf(scope, options.change);
  const planned: Planned[] = [];
  for (const deployment of changed) planned.push(await planOne(scope, options, deployment));
  return answerOf(planned);
}

async function planOne(
  scope: ClusterScope,
  options: PlanOptions,
  deployment: MachineDeployment,
): Promise<Planned> {
  const { kube, namespace } = scope;
  const list = async <Kind>(kind: Parameters<typeof customResource>[0]): Promise<Kind[]> =>
    (await kube.list<Kind>(customResource(kind, namespace))).items;
  const [sets, machines, classes, deletions] = await Promise.all([
    list<MachineSet>('machinesets'),
    list<Machine>('machines'),
    list<MachineClass>('machineclasses'),
    readDeletions(scope),
  ]);
  const now = Date.now();
  const { name } = deployment.metadata;
  const objects = { deployment, sets, machines };
  const { faults } = viewOf(objects, now);
  const template = deployment.spec.template?.spec ?? {};
  const className = template.class?.name ?? '';
  const durations = durationsOf({ machines, classes, deletions }, { className, template });
  const warnings = classWarnings(className, classes);
  if (faults.length > 0) return { name, faults, warnings, durations };
  const { creation, deletion } = durations;
  const own = ownOf(objects);
  const likely = simulate(own, paceOf(creation.seconds, deletion.seconds), { now });
  const longest = simulate(own, paceOf(creation.longestSeconds, deletion.longestSeconds), { now });
  const going = likely.happenings.flatMap(({ kind, names }) => (kind === 'delete' ? names : []));
  const budgets = await inTarget(scope, options, (target) =>
    readRefusingBudgets(
      target,
      machines.filter(({ metadata }) => going.includes(metadata.name)),
    ),
  );
  return { name, faults, warnings, durations, likely, longestMs: longest.tookMs, budgets };
}

/**
 * PodDisruptionBudgets that allow nothing now, on the Nodes of these machines. Undefined where the
 * caller may not read pods or budgets.
 */
async function readRefusingBudgets(
  target: KubeClient,
  machines: readonly Machine[],
): Promise<string[] | undefined> {
  if (machines.length === 0) return [];
  try {
    const pods = await podsOnNodes(target, new Set(machines.map(nodeNameOf)));
    const { items } = await target.list<Budget>('/apis/policy/v1/poddisruptionbudgets');
    const refusing = items.filter(({ status }) => (status?.disruptionsAllowed ?? 0) === 0);
    const found = pods.flatMap((pod) => budgetsOf(pod, refusing));
    return [...new Set(found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))];
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function paceOf(creation: number, deletion: number) {
  return { creation: creation * 1_000, deletion: deletion * 1_000 };
}

/**
 * Objects of others decide nothing, but their names are taken. Past a deadline a rollout goes on,
 * or back: neither is a plan.
 */
function ownOf({ deployment, sets, machines }: Required<Parameters<typeof viewOf>[0]>) {
  const view = viewOf({ deployment, sets, machines }, 0);
  const { progressDeadlineSeconds: _none, ...spec } = deployment.spec;
  return {
    deployment: { ...deployment, spec },
    sets: view.sets,
    machines: [...(view.machines ?? [])],
  };
}

function classWarnings(name: string, classes: readonly MachineClass[]): string[] {
  const found = classes.find(({ metadata }) => metadata.name === name);
  if (!found) return [`MachineClass ${name} does not exist: no machine of it can be made`];
  const note = found.metadata.annotations?.[annotations.invalid];
  return note === undefined ? [] : [`MachineClass ${name}: ${note}`];
}

async function changedOf(
  scope: ClusterScope,
  change: PlanOptions['change'],
): Promise<MachineDeployment[]> {
  if ('file' in change) return await fromFile(scope, change.file);
  const { name, replicas, class: className } = change;
  const present = await readDeployment(scope, name);
  const spec = {
    ...(replicas !== undefined && { replicas }),
    ...(className !== undefined && { template: { spec: { class: { name: className } } } }),
  };
  return [patched(present, { spec })];
}

async function fromFile(
  { kube, namespace }: ClusterScope,
  file: string,
): Promise<MachineDeployment[]> {
  const documents = await readDocuments(file);
  const found = documents.filter(isDeployment);
  if (found.length === 0) throw new UsageError(`${file} has no MachineDeployment`);
  return await Promise.all(
    found.map(async ({ metadata, spec }) => {
      if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
        throw new UsageError(
          `${file}: ${metadata.name} is of namespace ${metadata.namespace}, not ${namespace}: say --namespace ${metadata.namespace}`,
        );
      }
      const path = customResource('machinedeployments', namespace, metadata.name);
      const present = await ignoreNotFound(kube.get<MachineDeployment>(path));
      const { labels = {}, annotations: notes = {} } = metadata;
      const changes = { metadata: { labels, annotations: notes }, spec };
      return patched(present ?? newDeployment(namespace, metadata.name), changes);
    }),
  );
}

async function readDocuments(file: string): Promise<unknown[]> {
  try {
    const documents = [...parseAllDocuments(await readFile(file, 'utf8'))];
    // The parser goes on after a fault, with what it takes the rest for.
    const [fault] = documents.flatMap(({ errors }) => errors);
    if (fault) throw fault;
    return documents.map((document): unknown => document.toJS());
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function isDeployment(document: unknown): document is MachineDeployment {
  if (!isRecord(document) || document['kind'] !== 'MachineDeployment') return false;
  const { metadata, spec } = document;
  return isRecord(metadata) && typeof metadata['name'] === 'string' && isRecord(spec);
}

function newDeployment(namespace: string, name: string): MachineDeployment {
  const creationTimestamp = new Date().toISOString();
  const metadata = { name, namespace, uid: 'new', resourceVersion: '0', creationTimestamp };
  const spec = { template: {} };
  return { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineDeployment', metadata, spec };
}

interface ReadEvent {
  reason?: string;
  message?: string;
  lastTimestamp?: string | null;
  involvedObject?: { name?: string };
}

/** From the request of a set until the instance was gone, as far as Events remember it. */
async function readDeletions({ kube, namespace }: ClusterScope): Promise<PastDeletion[]> {
  const events = await readEvents(kube, namespace);
  const requests = new Map<string, number>();
  for (const { reason, message = '', lastTimestamp } of events) {
    if (reason !== 'SuccessfulDelete') continue;
    const names = message.split(': ')[1]?.split(', ') ?? [];
    for (const name of names) requests.set(name, Date.parse(lastTimestamp ?? ''));
  }
  return events.flatMap(({ reason, lastTimestamp, involvedObject }) => {
    const machine = involvedObject?.name ?? '';
    const seconds = (Date.parse(lastTimestamp ?? '') - (requests.get(machine) ?? NaN)) / 1_000;
    return reason === 'InstanceDeleted' && seconds >= 0 ? [{ machine, seconds }] : [];
  });
}

async function readEvents(kube: KubeClient, namespace: string): Promise<ReadEvent[]> {
  try {
    return (await kube.list<ReadEvent>(namespaced('events', namespace))).items;
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}
