/** What users have in their repositories, and the objects that a world begins with. */
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import type { Body } from '../../support/api-server/creation.ts';
import { longestLabelValue } from '../../../workflows/api/validation.ts';
import type { Chance } from '../engine/chance.ts';
import { namedChance } from '../world/named-chance.ts';
import type { Install, World } from '../world/world.ts';
import { perhapsInPlace } from './in-place.ts';
import {
  classBody,
  credentialsSecret,
  deploymentBody,
  machineBody,
  secretBody,
  setBody,
  userDataSecret,
} from './objects.ts';

export const kinds = ['machineclasses', 'machinedeployments', 'machinesets', 'machines'] as const;
export type Kind = (typeof kinds)[number];

/** Manifests of an install, by the path of their object. */
export interface Repository {
  readonly secrets: ReadonlyMap<string, Body>;
  readonly machineclasses: ReadonlyMap<string, Body>;
  readonly machinedeployments: ReadonlyMap<string, Body>;
  readonly machinesets: ReadonlyMap<string, Body>;
  readonly machines: ReadonlyMap<string, Body>;
}

export const classNames = ['small', 'medium', 'large'] as const;
const secretNames = [userDataSecret, credentialsSecret] as const;
const deploymentsMax = 4;
/** Of worlds: their names are as long as an API server allows, and a Node of a Machine. */
const shareOfLongNames = 0.15;
const longestNames = { pool: 253, machine: longestLabelValue };
const usualNames: typeof longestNames = { pool: 0, machine: 0 };

/** Creates the objects of all installs, so that about `machines` Machines will exist. */
export function setUpObjects(
  world: World,
  { machines }: { machines: number },
): ReadonlyMap<Install, Repository> {
  const chance = world.simulation.chance.fork();
  const share = Math.max(1, Math.round(machines / world.installs.length));
  const areLong = namedChance(world.simulation.seed, 'long names').happens(shareOfLongNames);
  const lengths = areLong ? longestNames : usualNames;
  const { seed } = world.simulation;
  return new Map(
    world.installs.map((install) => {
      const repository = repositoryOf(install.namespace, {
        seed,
        machines: share,
        chance,
        lengths,
      });
      apply(install, repository);
      return [install, repository] as const;
    }),
  );
}

function apply({ control: { server }, namespace }: Install, repository: Repository): void {
  for (const body of repository.secrets.values()) {
    server.create(namespaced('secrets', namespace), body);
  }
  for (const kind of kinds) {
    for (const body of repository[kind].values()) {
      server.create(customResource(kind, namespace), body);
    }
  }
}

interface Wishes {
  seed: number;
  machines: number;
  chance: Chance;
  lengths: typeof longestNames;
}

function repositoryOf(namespace: string, { seed, machines, chance, lengths }: Wishes): Repository {
  const lone = Math.max(1, Math.floor(machines * 0.08));
  const inSet = Math.floor(machines * 0.15);
  const inDeployments = Math.max(1, machines - lone - inSet);
  const deployments = Math.min(deploymentsMax, Math.ceil(inDeployments / 4));
  const className = (): string => chance.pick(classNames);
  const named = (kind: Kind, bodies: readonly Body[]): Map<string, Body> =>
    byPath(bodies, (name) => customResource(kind, namespace, name));
  return {
    secrets: byPath(
      secretNames.map((name) => secretBody({ namespace, name }, chance)),
      (name) => namespaced('secrets', namespace, name),
    ),
    machineclasses: named(
      'machineclasses',
      classNames.map((name) => classBody({ namespace, name }, chance)),
    ),
    machinedeployments: named(
      'machinedeployments',
      numbered('pool', deployments, lengths.pool).map((name, index) => {
        const replicas = shareOf(inDeployments, deployments, index);
        const pool = { namespace, name, replicas, className: className() };
        return perhapsInPlace(seed, deploymentBody(pool, chance));
      }),
    ),
    machinesets: named(
      'machinesets',
      numbered('set', 1, lengths.pool).map((name) =>
        setBody({ namespace, name, replicas: inSet, className: className() }, chance),
      ),
    ),
    machines: named(
      'machines',
      numbered('single', lone, lengths.machine).map((name) =>
        machineBody({ namespace, name, className: className() }, chance),
      ),
    ),
  };
}

function byPath(bodies: readonly Body[], pathOf: (name: string) => string): Map<string, Body> {
  return new Map(bodies.map((body) => [pathOf(body.metadata?.name ?? ''), body]));
}

function numbered(name: string, count: number, length: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index + 1}`.padEnd(length, 'x'));
}

/** The first ones get what does not divide. */
function shareOf(all: number, parts: number, index: number): number {
  return Math.floor(all / parts) + (index < all % parts ? 1 : 0);
}
