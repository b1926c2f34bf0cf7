import { passUnless, type Rule } from './rule.ts'

/** After a stop, no timer, connection, file or child process of a handler remains. */
export const nothingLeft: Rule = {
  id: 'nothing-left',
  title: 'Nothing is left behind',
  judge: ({ stops }) => passUnless(stops.flatMap(({ left }) => left.map((each) => `${each} was left after the stop`))),
}
