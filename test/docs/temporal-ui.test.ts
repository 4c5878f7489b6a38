/** The saved views of docs/temporal-ui.md ask for what the page says. e2e tests open each. */
import { definedViews, savedViews } from './temporal-ui.ts';

const views = savedViews();

test('every question of the page has a link, and no link is left over', () => {
  expect(views.length).toBeGreaterThan(20);
  expect(views.map(({ name }) => name).toSorted()).toEqual(definedViews().toSorted());
});

test.each(views)('$name asks for the query beside it', ({ query, linked, url }) => {
  expect(linked).toBe(query);
  expect(url?.origin).toBe('http://127.0.0.1:8233');
  expect(url?.pathname).toBe('/namespaces/default/workflows');
});
