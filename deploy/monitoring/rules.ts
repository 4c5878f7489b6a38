/** The alert rules as values, for tests and for the chart. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repository } from '../local/layout.ts';

export const rulesFile = join(repository, 'deploy/monitoring/rules/millwright.yaml');
export const ruleTestsFolder = join(repository, 'deploy/monitoring/tests');

export interface AlertRule {
  alert: string;
  expr: string;
  /** How long it holds before it fires, such as `5m`. */
  for: string;
  labels: { severity: string; cause?: string };
  annotations: { summary: string; description: string; runbook: string; runbook_url: string };
}

export interface AlertRules {
  groups: { name: string; rules: AlertRule[] }[];
}

export function readRules(): AlertRules {
  return parse(readFileSync(rulesFile, 'utf8'));
}

/** The troubles that a rule reports; their pages are in docs/runbooks. */
export function troublesOf({ annotations: { runbook } }: AlertRule): string[] {
  return runbook.split(', ');
}
