/** Few rows in which every two levels of two factors occur together. */
type Row = Readonly<Record<string, string>>;

interface Pair {
  factors: readonly [string, string];
  levels: readonly [string, string];
}

/**
 * Greedy, and the same for the same factors: a row begins with a pair that no row has yet, and each
 * other factor takes the level that adds the most of them.
 *
 * @param factors With their levels, at least one each.
 */
export function pairwise(factors: Readonly<Record<string, readonly string[]>>): Row[] {
  const entries = Object.entries(factors);
  let left = entries.flatMap(([one, levels], index) =>
    entries.slice(index + 1).flatMap(([other, others]) => pairsOf([one, other], levels, others)),
  );
  const rows: Row[] = [];
  for (let [first] = left; first; [first] = left) {
    const { factors: begun, levels } = first;
    let row: Row = { [begun[0]]: levels[0], [begun[1]]: levels[1] };
    for (const [name, choice] of entries) {
      if (name in row) continue;
      const gains = choice.map((level) => gainOf({ ...row, [name]: level }, name, left));
      row = { ...row, [name]: choice[gains.indexOf(Math.max(...gains))] ?? '' };
    }
    left = left.filter((pair) => !isIn(pair, row));
    rows.push(row);
  }
  return rows;
}

function pairsOf(
  factors: Pair['factors'],
  levels: readonly string[],
  others: readonly string[],
): Pair[] {
  return levels.flatMap((one) => others.map((other): Pair => ({ factors, levels: [one, other] })));
}

/** How many pairs of this factor the row has that no other has yet. */
function gainOf(row: Row, name: string, left: readonly Pair[]): number {
  return left.filter((pair) => pair.factors.includes(name) && isIn(pair, row)).length;
}

function isIn({ factors: [one, other], levels }: Pair, row: Row): boolean {
  return row[one] === levels[0] && row[other] === levels[1];
}
