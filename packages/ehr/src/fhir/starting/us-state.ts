import { usState } from 'pawl-client/schemas/text'

const names =
  `Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia Hawaii Idaho Illinois Indiana Iowa
Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada New_Hampshire
New_Jersey New_Mexico New_York North_Carolina North_Dakota Ohio Oklahoma Oregon Pennsylvania Rhode_Island South_Carolina South_Dakota
Tennessee Texas Utah Vermont Virginia Washington West_Virginia Wisconsin Wyoming District_of_Columbia American_Samoa Guam
Northern_Mariana_Islands Puerto_Rico Virgin_Islands`
    .split(/\s+/)
    .map((name) => name.replaceAll('_', ' ').toLowerCase())

/** The two letters of a state, the federal district or a territory, from its letters or its name. */
export function usStateOf(said: string): string | undefined {
  const word = said.trim()
  const at = names.indexOf(word.toLowerCase())
  return usState.options.find((code) => code === word.toUpperCase()) ?? usState.options[at]
}

/** Whether a country is the United States; an absent one is assumed to be (specification, Address). */
export function isUs(country: string | undefined): boolean {
  return country === undefined || /^(us|usa|u\.s\.a?\.|united states( of america)?)$/i.test(country.trim())
}
