/**
 * Lists what there is in a resource group: Resource Graph has an index over tags, which the
 * Resource Manager has not.
 */
import type { QueryResponse } from '@azure/arm-resourcegraph';
import type { ListedInstance, ListRequest } from '../driver.ts';
import { withoutNulls } from '../spec-schema.ts';
import { AnswerBody, type RawResponse } from './answer-body.ts';
import { lacksService } from './errors.ts';
import { AzureFailure, isAbsent } from './error-mapping.ts';
import { machineNameOf, type FoundResource } from './names.ts';
import { plainLocation, providerIdOf } from './provider-id.ts';
import { call, type Session } from './session.ts';
import { isOurs, searchedTagNames, tagNames, tagOf, type Tags } from './tags.ts';

/** More pages would be more than a million resources; one of them comes again and again. */
const pagesMax = 1_000;

const doingGraph = 'query Resource Graph';

export async function listInstances(
  session: Session,
  request: ListRequest,
): Promise<ListedInstance[]> {
  const parts = await partsByMachine(session, request);
  const listed = [...parts].map(([machineName, resources]): ListedInstance => {
    const vm = resources.find(({ type }) => /virtualmachines$/i.test(type));
    const first = vm ?? resources[0];
    const token = tagOf(first?.tags, tagNames.token);
    const createdAt = (vm ?? resources.find((resource) => resource.createdAt))?.createdAt;
    return {
      providerID: providerIdOf(session.place.location, machineName),
      machineName,
      ...(token !== undefined && { token }),
      ...(createdAt !== undefined && { createdAt }),
    };
  });
  return listed.toSorted((a, b) => (a.providerID < b.providerID ? -1 : 1));
}

/**
 * The subscription is a part of the credentials. Works for a wrong class as well, which must not
 * keep the others from being listed.
 */
export function listScope(providerSpec: unknown): string {
  const { location, resourceGroup, tags, cloudConfiguration } = Object(withoutNulls(providerSpec));
  const { clusterTag, roleTag } = searchedTagNames(Object(tags));
  const cloud: unknown = cloudConfiguration?.name ?? 'AzurePublic';
  const place = typeof location === 'string' ? plainLocation(location) : location;
  return JSON.stringify([cloud, place, resourceGroup, clusterTag, roleTag]);
}

/** Limits hold for a subscription and a location. */
export function limitScope(providerSpec: unknown): string {
  const { location } = Object(providerSpec);
  return typeof location === 'string' ? plainLocation(location) : '';
}

/**
 * An interface or a disk without a virtual machine stands under the name of the Machine that it was
 * made for.
 */
export async function partsByMachine(
  session: Session,
  { cluster, namespace }: Pick<ListRequest, 'cluster' | 'namespace'>,
): Promise<Map<string, PlacedResource[]>> {
  const { place } = session;
  const owner = { cluster, namespace, classTags: place.classTags };
  const byMachine = new Map<string, PlacedResource[]>();
  for (const resource of await readAll(session)) {
    if (plainLocation(resource.location) !== plainLocation(place.location)) continue;
    if (!isOurs(resource.tags, owner)) continue;
    const name = machineNameOf(resource, place.dataDisks);
    if (name !== undefined) byMachine.set(name, [...(byMachine.get(name) ?? []), resource]);
  }
  return byMachine;
}

async function readAll(session: Session): Promise<PlacedResource[]> {
  const { clusterTag, roleTag } = searchedTagNames(session.place.classTags);
  if (clusterTag === '' || roleTag === '') {
    const message =
      'providerSpec.tags: without the keys kubernetes.io-cluster-... and kubernetes.io-role-... nothing can be listed';
    throw new AzureFailure({ meaning: 'input', message });
  }
  try {
    return await readGraph(session);
  } catch (error) {
    // Resource Graph needs no permission of its own, but it can be closed by policy, and is not in
    // every cloud.
    if (!(error instanceof AzureFailure)) throw error;
    if (error.meaning !== 'forbidden' && !lacksService(error.code)) throw error;
    const all = await readGroup(session);
    return all.filter(({ tags }) =>
      [clusterTag, roleTag].every((tag) => tagOf(tags, tag) !== undefined),
    );
  }
}

async function readGraph(session: Session): Promise<PlacedResource[]> {
  const rows: PlacedResource[] = [];
  let skipToken: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const answer: QueryResponse = await readGraphPage(session, skipToken);
    if (!Array.isArray(answer.data)) throw partial(doingGraph, 'an answer that is no list');
    rows.push(...answer.data.map(resourceOfRow));
    ({ skipToken } = answer);
    if (skipToken === undefined || skipToken === '') {
      // Without a token a truncated answer cannot be gone on with.
      if (answer.resultTruncated === 'true')
        throw partial(doingGraph, 'only a part of the resources');
      return rows;
    }
  }
  throw partial(doingGraph, `more than ${pagesMax} pages`);
}

async function readGraphPage(
  session: Session,
  skipToken: string | undefined,
): Promise<QueryResponse> {
  const { clients, place } = session;
  return await call(session, doingGraph, (options) =>
    clients.graph.resources(
      {
        subscriptions: [clients.subscriptionId],
        query: graphQuery(place),
        options: {
          resultFormat: 'objectArray',
          top: 1_000,
          ...(skipToken !== undefined && { skipToken }),
        },
      },
      options,
    ),
  );
}

function partial(doing: string, what: string): AzureFailure {
  const message = `Azure: ${doing}: it gave ${what}`;
  return new AzureFailure({ meaning: 'unavailable', message });
}

type List = (options: {
  abortSignal: AbortSignal;
  onResponse: (response: RawResponse) => void;
}) => AsyncIterable<object> & { byPage(): AsyncIterableIterator<object[]> };

/** All of the group, as the Resource Manager cannot search by two tags. */
async function readGroup(session: Session): Promise<PlacedResource[]> {
  const { compute, network } = session.clients;
  const group = session.place.resourceGroup;
  try {
    return [
      ...(await readType(session, 'Microsoft.Compute/virtualMachines', (options) =>
        compute.virtualMachines.list(group, options),
      )),
      ...(await readType(session, 'Microsoft.Network/networkInterfaces', (options) =>
        network.networkInterfaces.list(group, options),
      )),
      ...(await readType(session, 'Microsoft.Compute/disks', (options) =>
        compute.disks.listByResourceGroup(group, options),
      )),
    ];
  } catch (error) {
    // As Resource Graph: there is no such group, so there is nothing in it.
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function readType(session: Session, type: string, list: List): Promise<PlacedResource[]> {
  const doing = `list ${type} of resource group ${session.place.resourceGroup}`;
  const body = new AnswerBody();
  const onResponse = (response: RawResponse): void => body.note(response);
  const pages = list({ abortSignal: session.signal, onResponse }).byPage();
  const found: PlacedResource[] = [];
  for (;;) {
    // Each page has the time of a request.
    const page = await call(session, doing, () => body.addedTo(pages.next()));
    if (page.done) return found;
    const items: unknown = page.value;
    if (!Array.isArray(items)) throw partial(doing, 'an answer that is no list');
    found.push(...items.map((item) => resourceOfRow({ ...item, type })));
  }
}

/**
 * The question to Azure Resource Graph: virtual machines, interfaces and disks with the two tags by
 * which MCM's driver finds its own.
 */
const resourceTypes = [
  'microsoft.compute/virtualmachines',
  'microsoft.network/networkinterfaces',
  'microsoft.compute/disks',
] as const;

interface GraphScope {
  resourceGroup: string;
  classTags: Tags;
}

export function graphQuery({ resourceGroup, classTags }: GraphScope): string {
  const { clusterTag, roleTag } = searchedTagNames(classTags);
  return [
    'resources',
    `| where type in~ (${resourceTypes.map(quoted).join(', ')})`,
    `| where resourceGroup =~ ${quoted(resourceGroup)}`,
    `| where isnotnull(tags[${quoted(clusterTag)}]) and isnotnull(tags[${quoted(roleTag)}])`,
    // Without the id there is no second page.
    '| project id, type, name, location, tags, managedBy, timeCreated = tostring(properties.timeCreated)',
    '| order by type asc, name asc',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

interface PlacedResource extends FoundResource {
  location: string;
}

function resourceOfRow(row: unknown): PlacedResource {
  const { type, name, location, tags, managedBy, timeCreated } = Object(row);
  // A text of Resource Graph, a Date of the SDK's lists.
  const createdAt = new Date(timeCreated ?? '').getTime();
  return {
    type: String(type),
    name: String(name),
    location: String(location),
    tags: Object(tags),
    ...(typeof managedBy === 'string' && managedBy !== '' && { managedBy }),
    ...(!Number.isNaN(createdAt) && { createdAt }),
  };
}
