/** What the schema of the chart's values says of `flags`, so that Helm refuses a misspelt one. */
import { flagNames, flagOf } from '../../../workers/config/flags/table.ts';

const number = '([0-9]+([.][0-9]*)?|[.][0-9]+)';
const unit = '(h|m|s|ms|us|µs|μs|ns)';

/** What may stand in YAML, such as `true`, `4` or `30m`: the process checks the rest. */
const kinds = {
  booleanFlag: {
    type: ['boolean', 'string', 'integer'],
    pattern: '^(1|t|T|true|TRUE|True|0|f|F|false|FALSE|False)$',
    minimum: 0,
    maximum: 1,
  },
  durationFlag: {
    type: ['string', 'integer'],
    pattern: `^[+]?((${number}${unit})+|0)$`,
    minimum: 0,
    maximum: 0,
  },
  numberFlag: { type: ['string', 'number'], pattern: `^[+-]?${number}$` },
  textFlag: { type: ['string', 'number', 'boolean'] },
};

const kindOfPlaceholder: Readonly<Record<string, keyof typeof kinds>> = {
  '': 'booleanFlag',
  DURATION: 'durationFlag',
  NUMBER: 'numberFlag',
};

const kindOf = (name: (typeof flagNames)[number]) =>
  kindOfPlaceholder[flagOf(name).kind.placeholder] ?? 'textFlag';

/** Definitions of the schema. */
export function flagDefinitions(): object {
  const properties = flagNames.map((name) => [name, { $ref: `#/definitions/${kindOf(name)}` }]);
  return {
    flags: {
      type: 'object',
      description:
        'Flags by name, without the dashes: docs/flags.md. Written with UPDATE_GOLDEN=1.',
      additionalProperties: false,
      properties: Object.fromEntries(properties),
    },
    ...kinds,
  };
}
