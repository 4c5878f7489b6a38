import type { Answer } from '../command-line/answer.ts';
import type { Place } from '../connection/cluster.ts';
import { findingData } from '../diagnosis/finding.ts';
import type { Fleet } from '../install/install.ts';
import { stopLines } from '../install/notes.ts';
import { poolsOf } from '../install/pools.ts';
import type { Pools } from '../install/pools.ts';
import { readFleet } from '../install/read.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { formatReference } from '../command-line/object-reference.ts';
import { isUnicode } from '../terminal/screen.ts';
import { branchOfDeployment, branchOfMachine, branchOfSet } from './branches.ts';
import type { Branch } from './branches.ts';
import type { TreeQuestion } from './command.ts';
import { formatTree } from './text.ts';

export async function tree(place: Place, asked: TreeQuestion): Promise<Answer> {
  const { fleet } = await readFleet(place, asked);
  const root = rootOf(asked.object, { fleet, namespace: place.namespace });
  return treeAnswer(root, { fleet, isWide: asked.output === 'wide' });
}

export function treeAnswer(
  root: Branch,
  { fleet, isWide }: { fleet: Fleet; isWide: boolean },
): Answer {
  const lines = formatTree(root, { now: fleet.now, isWide, hasLines: isUnicode(process.env) });
  return {
    text: [...stopLines(fleet), lines].join('\n'),
    data: dataOf(root),
    names: namesOf(root),
  };
}

/** The deployment of what is asked for, or as far up as there is an owner. */
export function rootOf(
  asked: ObjectReference,
  { fleet, namespace }: { fleet: Fleet; namespace: string },
): Branch {
  const pools = poolsOf(fleet);
  const root = find(asked, { fleet, pools });
  if (!root) throw new Error(`There is no ${formatReference(asked)} in namespace ${namespace}.`);
  return root;
}

function find(
  { kind, name }: ObjectReference,
  { fleet, pools }: { fleet: Fleet; pools: Pools },
): Branch | undefined {
  const { loneMachines } = pools;
  const pool = pools.pools.find(
    ({ deployment, sets }) =>
      (kind === 'machinedeployment' && deployment.metadata.name === name) ||
      sets.some((set) => isOf(set)),
  );
  if (pool) return branchOfDeployment(pool, fleet);
  const set = pools.loneSets.find((one) => isOf(one));
  if (set) return branchOfSet(set, fleet);
  const machine = loneMachines.find(({ metadata }) => kind === 'machine' && metadata.name === name);
  return machine && branchOfMachine(machine, fleet);

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
