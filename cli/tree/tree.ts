import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { findingData } from '../diagnosis/finding.ts';
import type { Install } from '../install/install.ts';
import { stopLines } from '../install/notes.ts';
import type { Pools, Pool, SetWithMachines } from '../install/pools.ts';
import { poolsOf, revisionOf } from '../install/pools.ts';
import { readInstall } from '../install/read.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { formatReference } from '../command-line/object-reference.ts';
import { isUnicode, clipLine, oneLine, screenWidth } from '../terminal/screen.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { ageSince } from '../terminal/age.ts';
import { formatColumns } from '../terminal/columns.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { machineFindings } from '../diagnosis/diagnose.ts';
import { nodeNameOf } from '../diagnosis/machine-health.ts';
import { deploymentFindings, setFindings } from '../diagnosis/pools.ts';
import { timeOf } from '../install/times.ts';
import { awaitedOf, phaseOf } from '../explain/machine.ts';
import { holdingAmong, policiesFor, policyInWords } from '../install/policies.ts';
import { policyFindingsFor } from '../diagnosis/policies.ts';
import { isGoing, progressOf } from '../install/rollout.ts';

export interface TreeOptions extends ClusterOptions, OutputOptions {
  object: ObjectReference;
}

export async function tree(scope: ClusterScope, options: TreeOptions): Promise<Answer> {
  const { install } = await readInstall(scope, {});
  const root = rootOf(options.object, { install, namespace: scope.namespace });
  return treeAnswer(root, { install, isWide: options.output === 'wide' });
}

export function treeAnswer(
  root: Branch,
  { install, isWide }: { install: Install; isWide: boolean },
): Answer {
  const lines = formatTree(root, { now: install.now, isWide, hasLines: isUnicode(process.env) });
  return {
    text: [...stopLines(install), lines].join('\n'),
    data: dataOf(root),
    names: namesOf(root),
  };
}

/** The deployment of what is asked for, or as far up as there is an owner. */
export function rootOf(
  reference: ObjectReference,
  { install, namespace }: { install: Install; namespace: string },
): Branch {
  const pools = poolsOf(install);
  const root = find(reference, { install, pools });
  if (!root)
    throw new Error(`There is no ${formatReference(reference)} in namespace ${namespace}.`);
  return root;
}

function find(
  { kind, name }: ObjectReference,
  { install, pools }: { install: Install; pools: Pools },
): Branch | undefined {
  const { loneMachines } = pools;
  const pool = pools.pools.find(
    ({ deployment, sets }) =>
      (kind === 'machinedeployment' && deployment.metadata.name === name) ||
      sets.some((set) => isOf(set)),
  );
  if (pool) return branchOfDeployment(pool, install);
  const set = pools.loneSets.find((one) => isOf(one));
  if (set) return branchOfSet(set, install);
  const machine = loneMachines.find(({ metadata }) => kind === 'machine' && metadata.name === name);
  return machine && branchOfMachine(machine, install);

  function isOf({ set: one, machines }: (typeof pools.loneSets)[number]): boolean {
    if (kind === 'machineset') return one.metadata.name === name;
    return kind === 'machine' && machines.some(({ metadata }) => metadata.name === name);
  }
}

function dataOf({ kind, name, state, since, waits, findings, branches }: Branch): object {
  return {
    kind,
    name,
    ...(state !== undefined && { state }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(waits !== undefined && { waits }),
    ...(findings.length > 0 && { findings: findings.map(findingData) }),
    ...(branches.length > 0 && { contains: branches.map(dataOf) }),
  };
}

/** Kinds of Kubernetes: instances are not. */
function namesOf({ kind, name, branches }: Branch): string[] {
  const own = kind === 'instance' ? [] : [`${kind}/${name}`];
  return [...own, ...branches.flatMap(namesOf)];
}

interface TreeView {
  now: number;
  isWide: boolean;
  /** The terminal shows lines; else ASCII. */
  hasLines: boolean;
}

/** A tree as lines. Node and instance stand in the line of their machine, unless it is wide. */
function formatTree(root: Branch, view: TreeView): string {
  const head = ['NAME', 'STATE', 'AGE', 'NODE', ...(view.isWide ? ['INSTANCE'] : []), 'WAITS FOR'];
  return formatColumns(head, rowsOf(root, { view, own: '', below: '' }));
}

interface Prefix {
  view: TreeView;
  /** Before its name, and before the names of what it is made of. */
  own: string;
  below: string;
}

function rowsOf(branch: Branch, { view, own, below }: Prefix): string[][] {
  const parts = branch.branches.filter(({ kind }) => kind !== 'node' && kind !== 'instance');
  const [middle, last, line] = view.hasLines ? ['├─ ', '└─ ', '│  '] : ['|- ', '`- ', '|  '];
  return [
    rowOf(branch, { view, own, below }),
    ...parts.flatMap((part, index) => {
      const isLast = index === parts.length - 1;
      return rowsOf(part, {
        view,
        own: `${below}${isLast ? last : middle}`,
        below: `${below}${isLast ? '   ' : line}`,
      });
    }),
  ];
}

function rowOf(branch: Branch, { view, own }: Prefix): string[] {
  const { kind, name, state = '', since, branches } = branch;
  const node = branches.find((part) => part.kind === 'node');
  const instance = branches.find((part) => part.kind === 'instance');
  return [
    `${own}${kind}/${name}`,
    state,
    ageSince(since, view.now),
    node ? `${node.name} ${node.state ?? ''}`.trim() : '-',
    ...(view.isWide ? [instance?.name ?? '-'] : []),
    waitsOf(branch, view),
  ];
}

/** The name of its trouble goes before what it waits for. */
function waitsOf({ findings, waits = '-' }: Branch, { isWide }: TreeView): string {
  const [worst] = findings;
  if (!worst) return waits;
  const text = worst.trouble === undefined ? worst.cause : `${worst.trouble}: ${worst.cause}`;
  return isWide || screenWidth() === undefined ? oneLine(text) : clipLine(text, 60);
}

interface Branch {
  kind: 'machinedeployment' | 'machineset' | 'machine' | 'node' | 'instance';
  name: string;
  state?: string | undefined;
  /** When it was made, milliseconds. */
  since?: number | undefined;
  waits?: string | undefined;
  findings: readonly Finding[];
  branches: readonly Branch[];
}

function branchOfDeployment(
  pool: Pool & { deployment: MachineDeployment },
  install: Install,
): Branch {
  const { metadata } = pool.deployment;
  const progress = progressOf(pool, install.now);
  return {
    kind: 'machinedeployment',
    name: metadata.name,
    state: `${progress.state}, ${progress.counts}`,
    since: timeOf(metadata.creationTimestamp),
    waits: heldInWords(progress.awaits, pool.deployment, install),
    findings: [
      ...deploymentFindings(pool.deployment),
      ...policyFindingsFor(pool.deployment, install),
    ],
    // Earlier sets are kept to roll back to: those that are empty say nothing here.
    branches: pool.sets
      .filter((one, index) => index === 0 || one.machines.length > 0)
      .map((one) => branchOfSet(one, install)),
  };
}

/** With when each policy that holds the rollout opens, and how many machines wait for it. */
function heldInWords(
  awaits: string | undefined,
  deployment: MachineDeployment,
  install: Install,
): string | undefined {
  if (awaits === undefined) return undefined;
  const holding = holdingAmong(policiesFor(deployment, install), awaits);
  return [awaits, ...holding.map((policy) => policyInWords(policy, install.now))].join('; ');
}

function branchOfSet({ set, machines }: SetWithMachines, install: Install): Branch {
  const { metadata, spec } = set;
  const present = machines.filter((one) => !isGoing(one)).length;
  const revision = revisionOf(set);
  return {
    kind: 'machineset',
    name: metadata.name,
    state: `${present}/${spec.replicas ?? 0}${revision > 0 ? `, revision ${revision}` : ''}`,
    since: timeOf(metadata.creationTimestamp),
    findings: setFindings(set),
    branches: machines.map((machine) => branchOfMachine(machine, install)),
  };
}

function branchOfMachine(machine: Machine, install: Install): Branch {
  const { metadata } = machine;
  return {
    kind: 'machine',
    name: metadata.name,
    state: phaseOf(machine),
    since: timeOf(metadata.creationTimestamp),
    waits: awaitedOf(machine, install)?.what,
    findings: machineFindings(machine, install),
    branches: [...nodeOf(machine), ...instanceOf(machine)],
  };
}

function instanceOf({ spec }: Machine): Branch[] {
  if (spec.providerID === undefined) return [];
  return [{ kind: 'instance', name: spec.providerID, findings: [], branches: [] }];
}

/** By what the Machine says of it. */
function nodeOf(machine: Machine): Branch[] {
  const { status } = machine;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (!ready && status?.nodeRef === undefined) return [];
  const state = ready?.status === 'True' ? 'Ready' : 'not Ready';
  return [{ kind: 'node', name: nodeNameOf(machine), state, findings: [], branches: [] }];
}
