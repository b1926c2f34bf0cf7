import type { AnyIntegration, Given } from '../../../../src/index.ts'
import { ehrFrom, ehrSettings } from '@pawl/ehr'
import { pharmacyFrom, pharmacySettings } from '@pawl/pharmacy'
import { shippedHandlers } from '../../../../templates/index.ts'

/** Exports of a case: a handler, or an integration where it needs a setting or a system of its own. */
interface Case {
  handler?: AnyIntegration['handlers'][number]
  integration?: AnyIntegration
}

/** The case that the address of this module names, such as `?case=wrong/01-never-backwards`. */
const file = new URL(import.meta.url).searchParams.get('case') ?? ''
if (!/^(systems\/)?(wrong|right)\/[\w-]+$/.test(file))
  throw new Error('Name a case, such as ?case=wrong/01-never-backwards.')
// The compiler cannot see the exports of a module that is named at runtime.
const { handler, integration: own } = (await import(`./${file}.ts`)) as Case

const ownSettings = { ...ehrSettings, ...pharmacySettings }

/** The shipped integration with the handler of the case, in place of a shipped one of the same name. */
const integration: AnyIntegration = own ?? {
  settings: ownSettings,
  systems: ({ settings }: Given<typeof ownSettings>) => ({ ehr: ehrFrom(settings), pharmacy: pharmacyFrom(settings) }),
  handlers: [
    ...shippedHandlers.filter(({ name }) => name !== handler?.name),
    ...(handler === undefined ? [] : [handler]),
  ],
}
// eslint-disable-next-line import/no-default-export -- as every integration is exported
export default integration
