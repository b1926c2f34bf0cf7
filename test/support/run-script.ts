import { join } from 'node:path'

/** Names the folder that build-once.ts filled. */
export const buildVariable = 'PAWL_TEST_BUILD'

/** What Node.js is given to run a script: from the build where there is one and the script is in it, otherwise as TypeScript, as in a tree of another fork (`mayBeBuilt`). */
export function argumentsFor(script: string, mayBeBuilt = true): string[] {
  const build = process.env[buildVariable]
  if (build === undefined || !mayBeBuilt || !script.startsWith('src/'))
    return ['--conditions=source', '--import', 'tsx', script]
  return [join(build, 'dist', script.replace(/\.ts$/, '.js'))]
}
