import type { Node } from '../../../kube/objects/nodes.ts';
import { labels } from '../../../workflows/api/constants.ts';
import { inPlaceReasonOf, type UpdateResult } from '../../../workflows/api/in-place.ts';
import { behaviourAnnotation, behaviourOf, type AgentBehaviour } from './behaviour.ts';

/** What the agent on a Node has to do now. */
export interface AgentTurn {
  behaviour: AgentBehaviour;
  /** Undefined: it never answers. */
  answer: UpdateResult | undefined;
  /** The same as long as it is the same turn. */
  key: string;
}

/** As gardener-node-agent, which waits for the reason `ReadyForUpdate` and answers once. */
export function turnOf(node: Node): AgentTurn | undefined {
  const text = node.metadata.annotations?.[behaviourAnnotation] ?? '';
  const behaviour = behaviourOf(text);
  const place = placeIn(node, behaviour);
  if (place === undefined) return undefined;
  const answer = behaviour.answers[place];
  return { behaviour, answer, key: `${node.metadata.uid} ${place} ${text}` };
}

/** Of its answers. Undefined: it waits, or has given all. */
function placeIn(node: Node, { answers, isEarly }: AgentBehaviour): 0 | 1 | undefined {
  const { labels: held = {} } = node.metadata;
  const reason = inPlaceReasonOf(node.status?.conditions);
  const result = held[labels.updateResult];
  const isSelected = held[labels.selectedForUpdate] === 'true';
  const isReadyForUpdate = reason === 'ReadyForUpdate' || (isEarly && isSelected);
  if (result === undefined && isReadyForUpdate) return 0;
  return result === 'failed' && reason === 'UpdateFailed' && answers.length > 1 ? 1 : undefined;
}
