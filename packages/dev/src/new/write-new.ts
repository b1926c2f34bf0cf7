import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { addHandler, addSystem } from './edit-integration.ts'
import { formatSource, NewRefused, nodeIn, parseSource, propertyOf, replaceNode, walk } from './source.ts'

const integration = 'src/integration/index.ts'

/** Name of the connector in templates/connector: two words, so its spellings differ. */
const connector = 'record-store'

/** Throws `NewRefused` outside a source checkout. */
export function assertCheckout(root: string): void {
  if (!existsSync(join(root, integration)) || !existsSync(join(root, 'templates/index.ts')))
    throw new NewRefused('New handlers and connectors need a source checkout; this is none.')
}

/** Names of the handler templates. */
export async function readTemplates(root: string): Promise<string[]> {
  const entries = await readdir(join(root, 'templates'))
  return entries.filter((entry) => existsSync(join(root, 'templates', entry, 'handler.ts'))).toSorted()
}

/** Copies a template with its test under a new name and adds it to the integration, in place of the shipped one; resolves with the written paths, the test last. Throws `NewRefused`, with nothing written. */
export async function writeHandler(root: string, { template, name }: { template: string; name: string }) {
  const [file, test] = [`${name}.ts`, `${name}.test.ts`]
  const read = (path: string) => readFile(join(root, path), 'utf8')
  const from = { template, file }
  const handler = await moveImports(await rename(await read(`templates/${template}/handler.ts`), name), from)
  const tested = await moveImports(await read(`templates/${template}/handler.test.ts`), from)
  const isShipped = (await read('templates/index.ts')).includes(`'./${template}/handler.ts'`)
  const replaces = isShipped ? template : undefined
  const listed = await addHandler(await read(integration), { identifier: toCamelCase(name), file, replaces })
  return writeAll(root, { file, test }, { handler, tested, listed })
}

/** Writes a connector with its test and its setting and adds it to the integration; resolves like `writeHandler`. Throws `NewRefused`, with nothing written. */
export async function writeConnector(root: string, name: string) {
  const [file, test] = [`${name}.ts`, `${name}.test.ts`]
  const { camel: identifier, constant, words } = spellingsOf(name)
  const own = Object.values(spellingsOf(name))
  const fill = async (path: string) =>
    Object.values(spellingsOf(connector)).reduce(
      (text, spelling, index) => text.replaceAll(spelling, own[index] ?? spelling),
      await readFile(join(root, 'templates/connector', path), 'utf8'),
    )
  const source = await readFile(join(root, integration), 'utf8')
  const listed = await addSystem(source, { identifier, settings: `${identifier}Settings`, file })
  const written = await writeAll(
    root,
    { file, test },
    { handler: await fill(`${connector}.ts`), tested: await fill(`${connector}.test.ts`), listed },
  )
  const example = join(root, 'src/integration/.env.example')
  const before = existsSync(example) ? await readFile(example, 'utf8') : ''
  await writeFile(example, `${before}# Address of the ${words}; absent: writes to it park.\n${constant}_URL=\n`)
  return written
}

async function writeAll(
  root: string,
  { file, test }: { file: string; test: string },
  { handler, tested, listed }: { handler: string; tested: string; listed: string },
): Promise<string[]> {
  const texts = new Map([
    [`src/integration/${file}`, handler],
    [`src/integration/${test}`, tested],
  ])
  for (const path of texts.keys())
    if (existsSync(join(root, path))) throw new NewRefused(`${path} exists already: choose another name.`)
  texts.set(integration, listed)
  for (const [path, text] of texts) {
    const target = join(root, path)
    await mkdir(dirname(target), { recursive: true })
    // Never overwrite a file created meanwhile.
    await writeFile(target, await formatSource(text, target), { flag: path === integration ? 'w' : 'wx' })
  }
  return [integration, `src/integration/${file}`, `src/integration/${test}`]
}

/** The handler under another name. */
async function rename(source: string, name: string): Promise<string> {
  const tree = await parseSource(source, 'handler.ts')
  const call = [...walk(tree)].find(
    (node) => node.type === 'CallExpression' && nodeIn(node, 'callee')?.name === 'defineHandler',
  )
  const [declared] = call === undefined ? [] : [...walk(call)].filter(({ type }) => type === 'ObjectExpression')
  const value = nodeIn(propertyOf(declared, 'name'), 'value')
  if (value === undefined) throw new NewRefused('The template declares no handler with a name: copy it by hand.')
  return replaceNode(source, value, `'${name}'`)
}

/** The source adapted to its place beside the integration: it imports the handler from its new file, and the template's other modules from templates/. */
async function moveImports(source: string, { template, file }: { template: string; file: string }): Promise<string> {
  const tree = await parseSource(source, 'handler.ts')
  const paths = [...walk(tree)].filter(({ type }) => type === 'ImportDeclaration').map((each) => nodeIn(each, 'source'))
  const moved = (path: string) => {
    if (path === './handler.ts') return `./${file}`
    // Both folders are equally deep, so paths through the root stay the same.
    const isNear = path.startsWith('.') && !path.startsWith('../../')
    return isNear ? `../../${posix.join('templates', template, path)}` : path
  }
  // Last to first, so that earlier positions stay valid.
  return paths.reduceRight(
    (text, node) => (typeof node?.value === 'string' ? replaceNode(text, node, `'${moved(node.value)}'`) : text),
    source,
  )
}

/** A name in the spellings of files and tests, types, settings and sentences. */
function spellingsOf(name: string) {
  const camel = toCamelCase(name)
  return {
    kebab: name,
    camel,
    pascal: camel.charAt(0).toUpperCase() + camel.slice(1),
    constant: name.replaceAll('-', '_').toUpperCase(),
    words: name.replaceAll('-', ' '),
  }
}

function toCamelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}
