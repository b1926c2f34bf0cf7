import { passUnless, type Rule } from './rule.ts'

/** No error that nobody catches ends the process. */
export const keepsRunning: Rule = {
  id: 'keeps-running',
  title: 'The process never ends by itself',
  judge: ({ crashes }) => passUnless(crashes === 0 ? [] : [`the process ended by itself ${crashes} times`]),
}
