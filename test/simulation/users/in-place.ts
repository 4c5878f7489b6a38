/** Pools whose machines are updated in place, as users write them. */
import { labels, options } from '../../../workflows/api/constants.ts';
import type { Body } from '../../support/api-server/creation.ts';
import type { Chance } from '../engine/chance.ts';
import { namedChance } from '../world/named-chance.ts';
import type { Found } from './kubectl.ts';

const shareOfWorlds = 0.35;
/** Of the deployments of such a world. */
const shareOfPools = 0.6;
const shareOfManual = 0.2;
const shareOfReplace = 0.5;

/** By a chance of its own: worlds without such pools are as they were before there were any. */
export function hasPoolsInPlace(seed: number): boolean {
  return namedChance(seed, 'pools in place').happens(shareOfWorlds);
}

/** The manifest of a deployment of this world, as it is or with the strategy InPlaceUpdate. */
export function perhapsInPlace(seed: number, body: Body): Body {
  const { name = '', namespace = '', annotations } = body.metadata ?? {};
  const chance = namedChance(seed, `strategy of ${namespace}/${name}`);
  if (!hasPoolsInPlace(seed) || !chance.happens(shareOfPools)) return body;
  const { template, ...spec } = Object(body['spec']);
  const strategy = inPlaceStrategyOf(chance);
  const limit = chance.pick(['', '5m', '8m', '8m']);
  const ofMachine = {
    ...template.spec,
    ...(limit !== '' && { inPlaceUpdateTimeout: limit }),
  };
  return {
    ...body,
    metadata: { ...body.metadata, annotations: { ...annotations, ...failureOf(chance) } },
    spec: { ...spec, strategy, template: { ...template, spec: ofMachine } },
  };
}

function failureOf(chance: Chance): object {
  if (chance.happens(shareOfReplace)) return { [options.inPlaceFailure]: 'replace' };
  return chance.happens(0.3) ? { [options.inPlaceFailure]: 'stop' } : {};
}

export function inPlaceStrategyOf(chance: Chance): object {
  const orchestrationType = chance.happens(shareOfManual) ? 'Manual' : 'Auto';
  const maxUnavailable = chance.pick([1, 1, 2, '50%']);
  const inPlaceUpdate = { maxUnavailable, maxSurge: chance.pick([0, 0, 1]), orchestrationType };
  return { type: 'InPlaceUpdate', inPlaceUpdate };
}

interface DeploymentSpec {
  strategy?: { type?: string; inPlaceUpdate?: { orchestrationType?: string } };
}

export function isInPlace({ spec }: Found): boolean {
  const { strategy }: DeploymentSpec = { ...spec };
  return strategy?.type === 'InPlaceUpdate';
}

export function isManual(object: Found): boolean {
  const { strategy }: DeploymentSpec = { ...object.spec };
  return isInPlace(object) && strategy?.inPlaceUpdate?.orchestrationType === 'Manual';
}

/** Of a Node: it is updated, or is to be. */
export function isSelected({ metadata }: Found): boolean {
  return metadata.labels?.[labels.selectedForUpdate] !== undefined;
}
