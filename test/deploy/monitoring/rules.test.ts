/** The alert rules: whether each is complete, and one with the list of troubles and the chart. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repository } from '../../../deploy/local/layout.ts';
import { readRules, ruleTestsFolder, troublesOf } from '../../../deploy/monitoring/rules.ts';

const { groups } = readRules();
const rules = groups.flatMap((group) => group.rules);

interface Trouble {
  trouble: string;
  alerts: string[];
}

/** The table of decision 49. */
function troubles(): Trouble[] {
  const page = readFileSync(join(repository, 'docs/decisions/0049-operator-surface.md'), 'utf8');
  const rows = page.matchAll(/^\| `([a-z-]+)` +\|[^|]*\|([^|]*)\|$/gm);
  return [...rows].map(([, trouble = '', alerts = '']) => ({
    trouble,
    alerts: [...alerts.matchAll(/`(\w+)`/g)].map(([, alert = '']) => alert),
  }));
}

describe('the alert rules', () => {
  test.each(rules.map((rule) => ({ name: nameOf(rule), rule })))(
    '$name is complete',
    ({ rule }) => {
      expect(rule.alert).toMatch(/^Millwright[A-Z]\w+$/);
      expect(rule.for).toMatch(/^\d+m$|^\d+h$/);
      expect(['critical', 'warning']).toContain(rule.labels.severity);
      expect(rule.annotations.summary.length).toBeLessThan(160);
      expect(rule.annotations.description).toMatch(/\.$/);
      // Of split workers each component has a name of its own.
      expect(rule.annotations.description).not.toMatch(/component=/);
      expect(rule.annotations.runbook_url).toBe(`docs/runbooks/${troublesOf(rule)[0]}.md`);
    },
  );

  test('have an alert for every trouble of decision 49, and none of another', () => {
    const told = rules.flatMap((rule) =>
      troublesOf(rule).map((trouble) => `${trouble}: ${rule.alert}`),
    );
    const decided = troubles().flatMap(({ trouble, alerts }) =>
      alerts.map((alert) => `${trouble}: ${alert}`),
    );
    expect(troubles().length).toBeGreaterThanOrEqual(20);
    expect([...new Set(told)].toSorted()).toEqual(decided.toSorted());
  });

  test('tell apart the rules of one alert', () => {
    const names = rules.map(nameOf);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.each(groups)('of $name have tests of promtool', ({ name, rules: ofGroup }) => {
    const file = join(ruleTestsFolder, `${name.replace('millwright-', '')}.yaml`);
    const { tests }: { tests: { alert_rule_test: RuleTest[] }[] } = parse(
      readFileSync(file, 'utf8'),
    );
    const all = tests.flatMap((one) => one.alert_rule_test);
    for (const { alert } of ofGroup) {
      const expected = all.filter(({ alertname }) => alertname === alert);
      expect(expected.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
      expect(expected.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true);
    }
  });
});

interface RuleTest {
  alertname: string;
  exp_alerts: object[];
}

function nameOf({ alert, labels: { cause } }: (typeof rules)[number]): string {
  return [alert, cause].filter((part) => part !== undefined).join(' ');
}
