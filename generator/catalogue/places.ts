/** City with the coordinates of the centre, degrees. */
interface City {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly timezone: string;
}

export interface Country {
  readonly code: string;
  readonly weight: number;
  /** Accept-Language tags, the most common first. */
  readonly languages: readonly string[];
  readonly cities: readonly City[];
}

const city = (name: string, latitude: number, longitude: number, timezone: string): City => ({
  name,
  latitude,
  longitude,
  timezone,
});

const country = (
  code: string,
  weight: number,
  languages: readonly string[],
  ...cities: readonly City[]
): Country => ({ code, weight, languages, cities });

export const countries: readonly Country[] = [
  country(
    "US",
    18,
    ["en-US", "en-US", "en-US", "es-US"],
    city("New York", 40.7128, -74.006, "America/New_York"),
    city("Chicago", 41.8781, -87.6298, "America/Chicago"),
    city("Denver", 39.7392, -104.9903, "America/Denver"),
    city("Los Angeles", 34.0522, -118.2437, "America/Los_Angeles"),
  ),
  country(
    "DE",
    12,
    ["de-DE", "de-DE", "de-DE", "en-GB"],
    city("Berlin", 52.52, 13.405, "Europe/Berlin"),
    city("Hamburg", 53.5511, 9.9937, "Europe/Berlin"),
    city("Munich", 48.1351, 11.582, "Europe/Berlin"),
  ),
  country(
    "GB",
    9,
    ["en-GB"],
    city("London", 51.5074, -0.1278, "Europe/London"),
    city("Manchester", 53.4808, -2.2426, "Europe/London"),
    city("Edinburgh", 55.9533, -3.1883, "Europe/London"),
  ),
  country(
    "FR",
    8,
    ["fr-FR"],
    city("Paris", 48.8566, 2.3522, "Europe/Paris"),
    city("Lyon", 45.764, 4.8357, "Europe/Paris"),
    city("Toulouse", 43.6047, 1.4442, "Europe/Paris"),
  ),
  country(
    "IN",
    8,
    ["en-IN", "hi-IN"],
    city("Mumbai", 19.076, 72.8777, "Asia/Kolkata"),
    city("Bengaluru", 12.9716, 77.5946, "Asia/Kolkata"),
    city("Delhi", 28.7041, 77.1025, "Asia/Kolkata"),
  ),
  country(
    "BR",
    6,
    ["pt-BR"],
    city("São Paulo", -23.5505, -46.6333, "America/Sao_Paulo"),
    city("Recife", -8.0476, -34.877, "America/Recife"),
    city("Manaus", -3.119, -60.0217, "America/Manaus"),
  ),
  country(
    "JP",
    5,
    ["ja-JP"],
    city("Tokyo", 35.6762, 139.6503, "Asia/Tokyo"),
    city("Osaka", 34.6937, 135.5023, "Asia/Tokyo"),
  ),
  country(
    "ES",
    5,
    ["es-ES", "es-ES", "ca-ES"],
    city("Madrid", 40.4168, -3.7038, "Europe/Madrid"),
    city("Barcelona", 41.3851, 2.1734, "Europe/Madrid"),
  ),
  country(
    "IT",
    5,
    ["it-IT"],
    city("Rome", 41.9028, 12.4964, "Europe/Rome"),
    city("Milan", 45.4642, 9.19, "Europe/Rome"),
  ),
  country(
    "CA",
    4,
    ["en-CA", "fr-CA"],
    city("Toronto", 43.6532, -79.3832, "America/Toronto"),
    city("Montréal", 45.5017, -73.5673, "America/Toronto"),
    city("Vancouver", 49.2827, -123.1207, "America/Vancouver"),
  ),
  country(
    "PL",
    4,
    ["pl-PL"],
    city("Warsaw", 52.2297, 21.0122, "Europe/Warsaw"),
    city("Kraków", 50.0647, 19.945, "Europe/Warsaw"),
  ),
  country(
    "NL",
    4,
    ["nl-NL", "nl-NL", "en-GB"],
    city("Amsterdam", 52.3676, 4.9041, "Europe/Amsterdam"),
    city("Rotterdam", 51.9244, 4.4777, "Europe/Amsterdam"),
  ),
  country(
    "MX",
    4,
    ["es-MX"],
    city("Mexico City", 19.4326, -99.1332, "America/Mexico_City"),
    city("Tijuana", 32.5149, -117.0382, "America/Tijuana"),
  ),
  country(
    "AU",
    3,
    ["en-AU"],
    city("Sydney", -33.8688, 151.2093, "Australia/Sydney"),
    city("Melbourne", -37.8136, 144.9631, "Australia/Melbourne"),
    city("Perth", -31.9523, 115.8613, "Australia/Perth"),
  ),
  country(
    "TR",
    3,
    ["tr-TR"],
    city("Istanbul", 41.0082, 28.9784, "Europe/Istanbul"),
    city("Ankara", 39.9334, 32.8597, "Europe/Istanbul"),
  ),
  country(
    "KR",
    3,
    ["ko-KR"],
    city("Seoul", 37.5665, 126.978, "Asia/Seoul"),
    city("Busan", 35.1796, 129.0756, "Asia/Seoul"),
  ),
  country(
    "SE",
    2,
    ["sv-SE", "sv-SE", "en-GB"],
    city("Stockholm", 59.3293, 18.0686, "Europe/Stockholm"),
    city("Gothenburg", 57.7089, 11.9746, "Europe/Stockholm"),
  ),
  country(
    "PT",
    2,
    ["pt-PT"],
    city("Lisbon", 38.7223, -9.1393, "Europe/Lisbon"),
    city("Porto", 41.1579, -8.6291, "Europe/Lisbon"),
  ),
  country(
    "CH",
    2,
    ["de-CH", "de-CH", "fr-CH"],
    city("Zürich", 47.3769, 8.5417, "Europe/Zurich"),
    city("Geneva", 46.2044, 6.1432, "Europe/Zurich"),
  ),
  country(
    "AT",
    2,
    ["de-AT"],
    city("Vienna", 48.2082, 16.3738, "Europe/Vienna"),
    city("Graz", 47.0707, 15.4395, "Europe/Vienna"),
  ),
  country(
    "AR",
    2,
    ["es-AR"],
    city("Buenos Aires", -34.6037, -58.3816, "America/Argentina/Buenos_Aires"),
    city("Córdoba", -31.4201, -64.1888, "America/Argentina/Cordoba"),
  ),
  country(
    "ZA",
    2,
    ["en-ZA"],
    city("Cape Town", -33.9249, 18.4241, "Africa/Johannesburg"),
    city("Johannesburg", -26.2041, 28.0473, "Africa/Johannesburg"),
  ),
  country(
    "ID",
    2,
    ["id-ID"],
    city("Jakarta", -6.2088, 106.8456, "Asia/Jakarta"),
    city("Denpasar", -8.6705, 115.2126, "Asia/Makassar"),
  ),
  country(
    "NG",
    1,
    ["en-NG"],
    city("Lagos", 6.5244, 3.3792, "Africa/Lagos"),
    city("Abuja", 9.0765, 7.3986, "Africa/Lagos"),
  ),
  country("NZ", 1, ["en-NZ"], city("Auckland", -36.8509, 174.7645, "Pacific/Auckland")),
];
