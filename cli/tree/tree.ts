import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { findingData } from '../diagnosis/finding.ts';
import type { Install } from '../install/install.ts';
import { stopLines } from '../install/notes.ts';
import { poolsOf } from '../install/pools.ts';
import type { Pools } from '../install/pools.ts';
import { readInstall } from '../install/read.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { formatReference } from '../command-line/object-reference.ts';
import { isUnicode } from '../terminal/screen.ts';
import { branchOfDeployment, branchOfMachine, branchOfSet } from './branches.ts';
import type { Branch } from './branches.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { formatTree } from './text.ts';

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

/** Of Kubernetes: instances are not. */
function namesOf({ kind, name, branches }: Branch): string[] {
  const own = kind === 'instance' ? [] : [`${kind}/${name}`];
  return [...own, ...branches.flatMap(namesOf)];
}
