/** Asks a weather service how warm it is somewhere: `bun examples/temperature.ts London`. */
import { ApiError, RequestError, requestJson } from "roster-client";

/** The temperature at a place, or undefined where none is known. */
export async function temperatureAt(place: string, service: string): Promise<number | undefined> {
  try {
    const weather = await requestJson(`${service}/${encodeURIComponent(place)}`, {
      timeout: 2000,
      retries: 1,
    });
    if (hasTemperature(weather)) return weather.temperature;
    console.error(`The weather service knows no temperature for ${place}.`);
  } catch (error) {
    // There are two ways to fail: an answer that is no success, and no answer at all.
    if (error instanceof ApiError && error.status === 404) console.error(`Nobody knows the place ${place}.`);
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
