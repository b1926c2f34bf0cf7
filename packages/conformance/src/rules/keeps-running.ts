import { passUnless, type Rule } from './rule.ts'

/** No uncaught error ends the process. */
export const keepsRunning: Rule = {
  id: 'keeps-running',
  title: 'The process never exits unexpectedly',
  judge: ({ crashes, crashedAt }) => {
    const where = crashedAt === undefined ? '' : `, first at ${crashedAt}`
    return passUnless(crashes === 0 ? [] : [`the process exited unexpectedly ${crashes} times${where}`])
  },
}
