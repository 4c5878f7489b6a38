/**
 * The question to Azure Resource Graph: virtual machines, interfaces and disks with the two tags by
 * which MCM's driver finds its own.
 */
import type { FoundResource } from './names.ts';
import { searchedTagNames, type Tags } from './tags.ts';

const resourceTypes = [
  'microsoft.compute/virtualmachines',
  'microsoft.network/networkinterfaces',
  'microsoft.compute/disks',
] as const;

export interface GraphScope {
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

export interface PlacedResource extends FoundResource {
  location: string;
}

export function resourceOfRow(row: unknown): PlacedResource {
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
