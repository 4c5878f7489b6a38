/** Search attributes of the workflows. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

const { KEYWORD, TEXT, DATETIME } = SearchAttributeType;

/**
 * Search attributes with their types; values of closed runs stay, so queries say
 * `ExecutionStatus="Running"`. A SQL store has columns for 10 Keyword and 3 of each other type,
 * which all applications of a Temporal namespace share, and a name cannot be changed later:
 * docs/decisions/0009-install-identity.md.
 */
export const keys = {
  /** Phase of a machine, `DrainBlocked` included; state of a rollout. */
  State: defineSearchAttributeKey('State', KEYWORD),
  /** Id of the control cluster. */
  KubeCluster: defineSearchAttributeKey('KubeCluster', KEYWORD),
  KubeNamespace: defineSearchAttributeKey('KubeNamespace', KEYWORD),
  MachineDeployment: defineSearchAttributeKey('MachineDeployment', KEYWORD),
  MachineSet: defineSearchAttributeKey('MachineSet', KEYWORD),
  MachineClass: defineSearchAttributeKey('MachineClass', KEYWORD),
  BlockedBy: defineSearchAttributeKey('BlockedBy', KEYWORD),
  NodeName: defineSearchAttributeKey('NodeName', TEXT),
  /** The one that has to act: `none`, `external`, `person`. */
  Attention: defineSearchAttributeKey('Attention', KEYWORD),
  WaitingSince: defineSearchAttributeKey('WaitingSince', DATETIME),
  Deadline: defineSearchAttributeKey('Deadline', DATETIME),
};

/** Name and type of each, as Temporal has to know them. */
export const searchAttributes = Object.fromEntries(
  Object.values(keys).map(({ name, type }) => [name, type]),
);
