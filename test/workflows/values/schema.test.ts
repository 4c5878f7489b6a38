import type { Infer, Schema } from '../../../workflows/values/schema.ts';
import {
  count,
  errorIn,
  flag,
  listOf,
  name,
  objectOf,
  oneOf,
  optional,
  pick,
  text,
} from '../../../workflows/values/schema.ts';

interface Parcel {
  id: string;
  weight: number;
  isOpen?: boolean;
}

const parcel: Schema<Parcel> = { id: name, weight: count, isOpen: optional(flag) };

const shipment = {
  parcels: listOf(objectOf(parcel), 2),
  state: oneOf('here', 'there'),
  note: optional(text),
};

type Shipment = Infer<typeof shipment>;

const whole: Shipment = { parcels: [{ id: 'a', weight: 1 }], state: 'here' };

describe('the compiler refuses', () => {
  test('a schema that is not that of its type', () => {
    // @ts-expect-error: another kind
    const kind: Schema<Parcel> = { ...parcel, id: flag };
    // @ts-expect-error: an optional field that has to be there
    const isRequired: Schema<Parcel> = { ...parcel, isOpen: flag };
    // @ts-expect-error: a field that may be absent, which the type always has
    const mayLack: Schema<Parcel> = { ...parcel, id: optional(name) };
    // @ts-expect-error: no check of `weight`
    const lacks: Schema<Parcel> = { id: name, isOpen: optional(flag) };
    // @ts-expect-error: another kind within
    const within: Schema<{ parcels: Parcel[] }> = { parcels: listOf(text, 2) };
    expect([kind, isRequired, mayLack, lacks, within]).toHaveLength(5);
  });

  test('a value that the schema refuses', () => {
    // @ts-expect-error: another kind
    const kind: Shipment = { ...whole, parcels: ['a'] };
    // @ts-expect-error: another word
    const word: Shipment = { ...whole, state: 'elsewhere' };
    // @ts-expect-error: no `state`
    const lacks: Shipment = { parcels: [] };
    for (const wrong of [kind, word, lacks]) expect(errorIn(wrong, shipment)).toBeDefined();
  });

  test('undefined in a field that may be absent', () => {
    // @ts-expect-error: it is absent, or a text
    const wrong: Shipment = { ...whole, note: undefined };
    // @ts-expect-error: it is absent, or true or false
    const open: Parcel = { id: 'a', weight: 1, isOpen: undefined };
    expect(pick(wrong, shipment)).toEqual(whole);
    expect(pick(open, parcel)).toEqual({ id: 'a', weight: 1 });
  });
});

test('a value of the type has no fault', () => {
  expect(errorIn(whole, shipment)).toBeUndefined();
  expect(errorIn({ ...whole, note: 'n' }, shipment)).toBeUndefined();
});
