/** Gets the temperature of a place from a weather service: `bun examples/temperature.ts London`. */
import { ApiError, RequestError, requestJson } from "roster-client";

/** The temperature of a place, or undefined if unknown. */
export async function temperatureAt(place: string, service: string): Promise<number | undefined> {
  try {
    const weather = await requestJson(`${service}/${encodeURIComponent(place)}`, {
      timeout: 2000,
      retries: 1,
    });
    if (hasTemperature(weather)) return weather.temperature;
    console.error(`The weather service has no temperature for ${place}.`);
  } catch (error) {
    // A request fails with an error response, or without any response.
    if (error instanceof ApiError && error.status === 404) console.error(`Unknown place: ${place}.`);
    else if (error instanceof RequestError) console.error(error.message);
    else throw error;
  }
  return undefined;
}

function hasTemperature(value: unknown): value is { temperature: number } {
  return (
    typeof value === "object" &&
    value !== null &&
    "temperature" in value &&
    typeof value.temperature === "number"
  );
}

if (import.meta.main) {
  const [place = "London"] = process.argv.slice(2);
  const temperature = await temperatureAt(place, process.env.WEATHER_URL ?? "https://weather.example");
  if (temperature === undefined) process.exit(1);
  console.log(`${temperature} °C in ${place}`);
}
