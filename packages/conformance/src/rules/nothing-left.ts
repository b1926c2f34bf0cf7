import { passUnless, type Rule } from './rule.ts'

/** Once pawl has stopped, no timer, connection, file or process of a handler is left. */
export const nothingLeft: Rule = {
  id: 'nothing-left',
  title: 'Nothing is left behind',
  judge: ({ stops }) => passUnless(stops.flatMap(({ left }) => left.map((each) => `after the stop, ${each} was left`))),
}
