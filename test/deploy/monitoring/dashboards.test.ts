/** The dashboards without a server: whether they fit Grafana, and whether they are complete. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { boards, dashboardFile } from '../../../deploy/monitoring/boards/all.ts';
import { dashboardText } from '../../../deploy/monitoring/grafana.ts';
import { queriesOf, type Panel } from '../../../deploy/monitoring/panel.ts';
import { readRules, troublesOf } from '../../../deploy/monitoring/rules.ts';

const schema: object = JSON.parse(
  readFileSync(join(import.meta.dirname, 'grafana-dashboard.schema.json'), 'utf8'),
);
const validate = new Ajv({ discriminator: true, allErrors: true, allowUnionTypes: true }).compile(
  schema,
);
const troubles = new Set(
  readRules().groups.flatMap(({ rules }) => rules.flatMap((rule) => troublesOf(rule))),
);

describe.each(boards)('the dashboard $name', (board) => {
  const panels = board.rows.flatMap((row) => row.panels);

  test('is as npm run dashboards writes it', () => {
    const file = dashboardFile(board);
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(dashboardText(board));
  });

  test('fits the types that Grafana publishes', () => {
    validate(JSON.parse(dashboardText(board)));
    expect(validate.errors ?? []).toEqual([]);
  });

  test.each(panels)('explains $title, and sends to a runbook that there is', (panel) => {
    expect(panel.description).toMatch(/[.]$/);
    expect(queriesOf(panel).map(({ expr }) => expr)).not.toContain('');
    expect(queriesOf(panel)).not.toEqual([]);
    expect([undefined, ...troubles]).toContain(panel.runbook);
  });

  test('has one panel of each title in a row, and no panels above each other', () => {
    for (const { panels: ofRow } of board.rows) {
      const titles = ofRow.map(({ title }) => title);
      expect(new Set(titles).size).toBe(titles.length);
    }
    const { panels: placed }: { panels: { gridPos: Place }[] } = JSON.parse(dashboardText(board));
    const cells = placed.flatMap(({ gridPos }) => cellsOf(gridPos));
    expect(new Set(cells).size).toBe(cells.length);
  });

  test('uses the variables that it has, and no others', () => {
    const used = new Set(
      panels
        .flatMap(queriesOf)
        .flatMap(({ expr }) => [...expr.matchAll(/\$(?!__)(\w+)/g)].map(([name]) => name)),
    );
    expect(used).toEqual(new Set(board.variables.map((name) => `$${name}`)));
  });
});

test('a panel that several dashboards have is one and the same', () => {
  const panels = boards.flatMap(({ rows }) => rows.flatMap((row) => row.panels));
  const firstOf = new Map(panels.toReversed().map((panel) => [textOf(panel), panel]));
  const copies = panels.filter((panel) => firstOf.get(textOf(panel)) !== panel);
  expect(copies.map(({ title }) => title)).toEqual([]);
});

function textOf(panel: Panel): string {
  return queriesOf(panel)
    .map(({ expr }) => expr)
    .join('\n');
}

interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

function cellsOf({ x, y, w, h }: Place): string[] {
  return Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`);
}
