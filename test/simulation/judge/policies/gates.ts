/**
 * What DisruptionPolicies said to a deployment between two moments. Who writes may have asked at
 * any moment in between, and by a clock that was wrong.
 */
import type { DisruptionPolicy } from '../../../../workflows/api/disruption-policy.ts';
import type { DisruptionReason } from '../../../../workflows/api/phases.ts';
import type { JudgedObject } from '../objects.ts';
import type { ClusterPast } from '../past/cluster-past.ts';
import type { Life } from '../past/lives.ts';
import { isFaulty, isOpenWithin } from './calendar.ts';
import type { Span } from './calendar.ts';
import { holdsFor, liftedUntil, policyOf, selects } from './policy-of.ts';

/** Clocks of processes jump by half a minute in both directions. */
export const clockMs = 35_000;

export interface Question {
  past: ClusterPast;
  deployment: Life;
  reason: DisruptionReason;
  /** When it was asked. */
  span: Span;
}

/** A part of the time in which neither the policy nor the deployment changed. */
interface Piece extends Span {
  policy: DisruptionPolicy;
  deployment: JudgedObject;
}

/** Policies that have held for the deployment all the time, and what they were meanwhile. */
export interface Holding {
  life: Life;
  name: string;
  specs: readonly DisruptionPolicy['spec'][];
}

export function holdingFor(question: Question): Holding[] {
  return policiesIn(question).flatMap((life) => {
    const pieces = holdingPieces(question, life);
    const specs = pieces.map(({ policy }) => policy.spec);
    return pieces.length === 0 ? [] : [{ life, name: life.last.metadata.name, specs }];
  });
}

/** The first that let nothing go at any moment; undefined: there is none. */
export function closedFor(question: Question): Life | undefined {
  return policiesIn(question).find((life) => {
    const pieces = holdingPieces(question, life);
    return pieces.length > 0 && !pieces.some(letsGo);
  });
}

function policiesIn({ past, deployment }: Question): Life[] {
  const { namespace } = deployment.last.metadata;
  return past.policies.present().filter(({ last }) => last.metadata.namespace === namespace);
}

/** Empty when at some moment it did not hold. */
function holdingPieces({ deployment, reason, span }: Question, life: Life): Piece[] {
  const { from, to } = span;
  if (life.bornAt > from || deployment.bornAt > from) return [];
  const moments = [...life.states.momentsSince(from), ...deployment.states.momentsSince(from)];
  const starts = [...new Set(moments)].filter((at) => at <= to).toSorted((a, b) => a - b);
  const pieces = starts.map((at, index) => {
    const [object, owner] = [life.states.at(at), deployment.states.at(at)];
    const end = starts[index + 1] ?? to;
    return object && owner && { from: at, to: end, policy: policyOf(object), deployment: owner };
  });
  const holding = pieces
    .filter((piece) => piece !== undefined)
    .filter((piece) => selects(piece.policy, piece.deployment) && holdsFor(piece.policy, reason));
  return holding.length === starts.length ? holding : [];
}

/** By its times alone; a policy that lets no machine go at all is closed. */
function letsGo({ policy, deployment, ...span }: Piece): boolean {
  const { spec } = policy;
  if (isFaulty(spec) || spec.atATime?.machines === 0) return false;
  const from = span.from - clockMs;
  return liftedUntil(deployment) > from || isOpenWithin(spec, { from, to: span.to + clockMs });
}

/** Some policy holds for its rollouts. */
export function isSelected(past: ClusterPast, deployment: JudgedObject): boolean {
  return past.policies
    .present()
    .filter(({ last }) => last.metadata.namespace === deployment.metadata.namespace)
    .map(({ last }) => policyOf(last))
    .some((policy) => selects(policy, deployment) && holdsFor(policy, 'Rollout'));
}
