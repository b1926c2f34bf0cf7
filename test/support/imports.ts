/** One import or re-export of a source file. */
export interface Import {
  /** As written, for example `../ledger/ledger.ts`. */
  specifier: string
  /** Nothing of it is left when the program runs. */
  isTypeOnly: boolean
}

const statement = /^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\sfrom\s+)?'([^']+)'/gm
const dynamic = /\bimport\(\s*(?:'([^']+)'|[^)]*)\s*\)/g

/** The imports of a file, read from its lines: static, re-exported and dynamic; a dynamic one whose target is computed has the specifier `(computed)`. */
export function importsOf(source: string): Import[] {
  const statics = [...source.matchAll(statement)].map(([, type, names = '', specifier = '']) => ({
    specifier,
    isTypeOnly: type !== undefined || hasOnlyTypes(names),
  }))
  const dynamics = [...source.matchAll(dynamic)].map(([, specifier]) => ({
    specifier: specifier ?? '(computed)',
    isTypeOnly: false,
  }))
  return [...statics, ...dynamics]
}

function hasOnlyTypes(names: string): boolean {
  const inBraces = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1]
  const each = inBraces?.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  return each !== undefined && each.length > 0 && each.every((name) => name.startsWith('type '))
}
