/** Resource Graph, for the one question that the driver asks. */
import { Refusal, type Answer } from './answer.ts';
import type { Resource } from './resources.ts';
import * as shapes from './shapes.ts';

const question = new RegExp(
  String.raw`^resources
\| where type in~ \('microsoft\.compute/virtualmachines', 'microsoft\.network/networkinterfaces', 'microsoft\.compute/disks'\)
\| where resourceGroup =~ '([^']+)'
\| where isnotnull\(tags\['([^']+)'\]\) and isnotnull\(tags\['([^']+)'\]\)
\| project id, type, name, location, tags, managedBy, timeCreated = tostring\(properties\.timeCreated\)
\| order by type asc, name asc$`,
);

export interface GraphWorld {
  subscription: string;
  resources: readonly Resource[];
  /** Of an answer, whatever is asked for. */
  pageSize: number;
}

export function answerGraph(body: unknown, world: GraphWorld): Answer {
  const fault = shapes.graphRequest(body, 'body');
  if (fault !== undefined) throw new Refusal(400, 'BadRequest', fault);
  const { subscriptions, query, options } = Object(body);
  if (!subscriptions.includes(world.subscription) || subscriptions.length !== 1) {
    throw new Refusal(403, 'AccessDenied', 'no access to these subscriptions');
  }
  const asked = question.exec(query);
  if (!asked) throw new Refusal(400, 'InvalidQuery', `this question is not known: ${query}`);
  const [, group = '', ...tagNames] = asked;
  const rows = world.resources.filter((resource) => isAsked(resource, group, tagNames)).map(rowOf);
  return pageOf(rows, Number(options?.$skipToken ?? 0), world.pageSize);
}

function pageOf(rows: object[], from: number, pageSize: number): Answer {
  const page = rows.slice(from, from + pageSize);
  const next = from + page.length;
  return {
    status: 200,
    body: {
      totalRecords: rows.length,
      count: page.length,
      resultTruncated: 'false',
      facets: [],
      data: page,
      ...(next < rows.length && { $skipToken: String(next) }),
    },
  };
}

function isAsked({ group, tags }: Resource, asked: string, tagNames: string[]): boolean {
  return group.toLowerCase() === asked.toLowerCase() && tagNames.every((name) => name in tags);
}

/** Resource Graph writes types in lower case. */
function rowOf({ id, type, name, location, tags, managedBy, timeCreated }: Resource): object {
  const isNic = type.endsWith('networkInterfaces');
  return {
    id,
    type: type.toLowerCase(),
    name,
    location,
    tags,
    managedBy: isNic ? '' : (managedBy ?? ''),
    timeCreated: isNic ? '' : timeCreated,
  };
}
