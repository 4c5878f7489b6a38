/** Lists of workflows: the part of Temporal's query language that our code uses. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { Execution } from './execution.ts';
import { GrpcError } from './grpc-errors.ts';

export interface Visible {
  execution: Execution;
  /** As the list knows it, which lags behind. */
  isOpen: boolean;
}

type Condition = (visible: Visible) => boolean;

const term = /^\s*(\w+)\s*(?:(!?=)\s*"([^"]*)"|(IN)\s*\(([^)]*)\)|(IS NOT NULL))\s*(?:AND\b|$)/;

/** INVALID_ARGUMENT for a query that it cannot read, and for a search attribute that is unknown. */
export function conditionOf(query: string, known: ReadonlySet<string>): Condition {
  const conditions: Condition[] = [];
  let rest = query.trim();
  while (rest !== '') {
    const match = term.exec(rest);
    if (!match) throw new GrpcError('INVALID_ARGUMENT', `invalid query: ${query}`);
    const [whole, name = '', operator, value = '', isIn, list = '', isPresent] = match;
    const read = readerOf(name, known);
    if (isIn) {
      const values = new Set(Array.from(list.matchAll(/"([^"]*)"/g), ([, item = '']) => item));
      conditions.push((visible) => values.has(read(visible)));
    } else if (isPresent) conditions.push((visible) => read(visible) !== '');
    else if (operator === '=') conditions.push((visible) => read(visible) === value);
    else conditions.push((visible) => read(visible) !== value);
    rest = rest.slice(whole.length);
  }
  return (visible) => conditions.every((holds) => holds(visible));
}

function readerOf(name: string, known: ReadonlySet<string>): (visible: Visible) => string {
  switch (name) {
    case 'ExecutionStatus':
      return ({ execution, isOpen }) => (isOpen ? 'Running' : execution.status);
    case 'WorkflowId':
      return ({ execution }) => execution.run.workflowId;
    case 'WorkflowType':
      return ({ execution }) => execution.run.workflowType;
    case 'TaskQueue':
      return ({ execution }) => execution.run.taskQueue;
    default:
      return attributeReader(name, known);
  }
}

function attributeReader(name: string, known: ReadonlySet<string>) {
  if (!known.has(name)) {
    throw new GrpcError('INVALID_ARGUMENT', `invalid query: column name '${name}' is not defined`);
  }
  return ({ execution }: Visible): string => {
    const payload = execution.searchAttributes[name];
    if (!payload?.data?.length) return '';
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    const [first] = Array.isArray(value) ? value : [value];
    return typeof first === 'string' ? first : '';
  };
}
