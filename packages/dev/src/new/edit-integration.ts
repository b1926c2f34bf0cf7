import {
  insertAll,
  type Insertion,
  NewRefused,
  type Node,
  nodeIn,
  nodesIn,
  parseSource,
  propertyOf,
  walk,
} from './source.ts'

/** Adds a handler, `identifier` from `file`, to the integration; if the shipped handlers are spread into the list, filters out the one named `replaces`. Throws `NewRefused` if the file's structure differs from the shipped one. */
export async function addHandler(
  source: string,
  {
    path,
    identifier,
    file,
    replaces,
  }: { path: string; identifier: string; file: string; replaces: string | undefined },
): Promise<string> {
  const tree = await parseSource(source, path)
  const unlike = refusalOf(path)
  assertFree(tree, identifier, path)
  const list = nodeIn(propertyOf(integrationOf(tree, unlike), 'handlers'), 'value')
  if (list?.type !== 'ArrayExpression') throw unlike('handlers that are a list')
  const shipped = nodesIn(list, 'elements')
    .map((element) => nodeIn(element, 'argument'))
    .find((spread) => spread !== undefined && [...walk(spread)].some(({ name }) => name === 'shippedHandlers'))
  return insertAll(source, [
    importAfterOthers(tree, `import ${identifier} from './${file}'`),
    ...(shipped === undefined || replaces === undefined
      ? []
      : [{ at: shipped.range[1], text: `.filter(({ name }) => name !== '${replaces}')` }]),
    atEndOf(source, list, identifier),
  ])
}

/** Adds a system to the integration; `file` exports its function and settings. Throws as `addHandler`. */
export async function addSystem(
  source: string,
  { path, identifier, settings, file }: { path: string; identifier: string; settings: string; file: string },
): Promise<string> {
  const tree = await parseSource(source, path)
  const unlike = refusalOf(path)
  assertFree(tree, identifier, path)
  const integration = integrationOf(tree, unlike)
  const ownSettings = literalOf(tree, propertyOf(integration, 'settings'))
  const systems = literalOf(tree, propertyOf(integration, 'systems'))
  const made = systems?.type === 'ArrowFunctionExpression' ? nodeIn(systems, 'body') : undefined
  if (ownSettings?.type !== 'ObjectExpression' || made?.type !== 'ObjectExpression')
    throw unlike('settings that are an object, and systems that are a function which returns one')
  return insertAll(source, [
    importAfterOthers(tree, `import { ${identifier}, ${settings} } from './${file}'`),
    atEndOf(source, ownSettings, `...${settings}`),
    atEndOf(source, made, `${identifier}: ${identifier}(settings)`),
  ])
}

function integrationOf(tree: Node, unlike: ReturnType<typeof refusalOf>): Node {
  const exported = nodesIn(tree, 'body').find(({ type }) => type === 'ExportDefaultDeclaration')
  const [integration] = nodesIn(nodeIn(exported, 'declaration'), 'arguments')
  if (integration?.type !== 'ObjectExpression') throw unlike('a default export that is defineIntegration({ … })')
  return integration
}

/** The value of a property, resolved if it is a constant of the file. */
function literalOf(tree: Node, property: Node | undefined): Node | undefined {
  const value = nodeIn(property, 'value')
  if (value?.type !== 'Identifier') return value
  const declared = [...walk(tree)].find(
    (node) => node.type === 'VariableDeclarator' && nodeIn(node, 'id')?.name === value.name,
  )
  return nodeIn(declared, 'init')
}

function importAfterOthers(tree: Node, line: string): Insertion {
  const last = nodesIn(tree, 'body').findLast(({ type }) => type === 'ImportDeclaration')
  return { at: last?.range[1] ?? 0, text: last === undefined ? `${line}\n` : `\n${line}` }
}

/** Position before the closing bracket of a list or an object. */
function atEndOf(source: string, { range: [, end], elements, properties }: Node, text: string): Insertion {
  const hasItems = [elements, properties].some((items) => Array.isArray(items) && items.length > 0)
  const hasComma = source
    .slice(0, end - 1)
    .trimEnd()
    .endsWith(',')
  return { at: end - 1, text: hasItems && !hasComma ? `, ${text}` : text }
}

function assertFree(tree: Node, identifier: string, path: string): void {
  if ([...walk(tree)].some(({ type, name }) => type === 'Identifier' && name === identifier))
    throw new NewRefused(`${path} already has something named ${identifier}: choose another name.`)
}

function refusalOf(path: string) {
  return (expected: string) =>
    new NewRefused(`${path} differs from the shipped file, with ${expected}: add it there by hand.`)
}
