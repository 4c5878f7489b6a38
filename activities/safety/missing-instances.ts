/** Asks a cloud for the instances that Machines have and that its listing does not. */
import type { Machine } from '../../workflows/api/machine.ts';
import { defined } from '../../workflows/values/defined.ts';
import type {
  ListedMachine,
  MissingSearch,
  OwnedInstance,
} from '../../workflows/plan/safety/missing-instances.ts';
import { findUnlisted } from '../../workflows/plan/safety/missing-instances.ts';
import { lastPartOf } from '../../workflows/values/provider-id.ts';
import type { Driver } from '../drivers/driver.ts';
import { DriverError } from '../drivers/driver.ts';
import { inParallel } from '../runtime/parallel.ts';
import { phaseOf } from '../machine/prepared.ts';
import type { Account, Listing, ListDependencies } from './orphans/list-scopes.ts';
import { nowMs, random } from '../system/system.ts';

export interface SearchDependencies extends ListDependencies {
  driver: ListDependencies['driver'] & Pick<Driver, 'describeInstance' | 'settleSeconds'>;
}

/**
 * In each scope. Instances that carry no tags of ours are never listed, so that many may be asked
 * for in vain.
 */
const askedMax = 200;
const width = 10;

/** `listed`: last parts of the providerIDs in all listings of the provider. */
export function listedIn(listings: readonly Listing[]): Set<string> {
  return new Set(
    listings.flatMap(({ instances }) => instances.map((one) => lastPartOf(one.providerID))),
  );
}

export interface MissingInput {
  listing: Listing;
  listed: ReadonlySet<string>;
  machines: readonly Machine[];
  account: Account;
}

/** Without `missing` when none is. A listing that failed says of none that it is. */
export async function findMissing(
  dependencies: SearchDependencies,
  { listing: { scope, error }, listed, machines, account }: MissingInput,
): Promise<{ owned?: number; missing?: MissingSearch }> {
  if (error !== undefined) return {};
  const { settleSeconds } = dependencies.driver;
  const classNames = new Set(scope.classes.map(({ metadata }) => metadata.name));
  const rules = { now: nowMs(), settleSeconds };
  const { owned, unlisted } = findUnlisted(machines.map(factOf), { classNames, listed }, rules);
  // Others at each check, when they are too many.
  const first = unlisted.length > askedMax ? Math.floor(random() * unlisted.length) : 0;
  const asked = [...unlisted.slice(first), ...unlisted.slice(0, first)].slice(0, askedMax);
  const missing: OwnedInstance[] = [];
  await inParallel(asked, width, async (one) => {
    if (await isMissing(dependencies, { one, listing: { scope }, machines, account }))
      missing.push(one);
  });
  if (missing.length === 0) return { owned: owned.length };
  return {
    owned: owned.length,
    missing: {
      machines: owned.length,
      unlisted: unlisted.length,
      asked: asked.length,
      missing: missing.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    },
  };
}

interface Question extends Pick<MissingInput, 'machines' | 'account'> {
  one: OwnedInstance;
  listing: Pick<Listing, 'scope'>;
}

/** A cloud that does not answer proves nothing. */
async function isMissing(
  { driver, signal }: SearchDependencies,
  { one, listing: { scope }, machines, account }: Question,
): Promise<boolean> {
  const { name, uid, providerID } = one;
  const { cluster, namespace } = account;
  const className = machines.find(({ metadata }) => metadata.uid === uid)?.spec.class?.name;
  const machineClass = scope.classes.find(({ metadata }) => metadata.name === className);
  if (!machineClass) return false;
  try {
    const found = await driver.describeInstance({
      cluster,
      machine: { namespace, name, uid },
      providerID,
      providerSpec: machineClass.providerSpec,
      secret: scope.secret,
      // It is searched for by its providerID alone.
      token: '',
      isClaimed: () => true,
      signal: signal(),
    });
    return found === undefined;
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return false;
  }
}

export function factOf(machine: Machine): ListedMachine {
  const { metadata, spec } = machine;
  const { name, uid, creationTimestamp, deletionTimestamp } = metadata;
  return defined({
    name,
    uid,
    className: spec.class?.name ?? '',
    phase: phaseOf(machine),
    isDeleting: deletionTimestamp !== undefined,
    createdAt: Date.parse(creationTimestamp ?? ''),
    providerID: spec.providerID === '' ? undefined : spec.providerID,
  });
}
