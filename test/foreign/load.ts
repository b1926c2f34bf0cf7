import { isInstalled } from '../support/needs.ts'

/** A library of test/foreign/package.json; `Library` names the part of it that is used. `undefined` where it is not installed, which is said in one line. */
export async function foreign<Library>(name: string): Promise<Library | undefined> {
  // The compiler does not follow the name: `npm run check` does without these libraries.
  return isInstalled('test/foreign') ? ((await import(name)) as Library) : undefined
}
