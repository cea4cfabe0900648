import com.clickhouse.client.api.Client;
import com.clickhouse.client.api.data_formats.RowBinaryFormatWriter;
import com.clickhouse.client.api.insert.InsertSettings;
import com.clickhouse.data.ClickHouseFormat;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;

/** Inserts a row with client-v2 as the writer, and prints it as the reader sees it. */
public class RoundTrip {
    public static void main(String[] arguments) throws Exception {
        var table = "java";
        try (var writer = open(arguments[0], "writer"); var reader = open(arguments[0], "reader")) {
            var schema = writer.getTableSchema(table);
            writer.insert(table, stream -> {
                var row = new RowBinaryFormatWriter(stream, schema, ClickHouseFormat.RowBinary);
                var values = new Object[] {
                    BigInteger.TWO.pow(64).subtract(BigInteger.ONE), 0.5, new BigDecimal("1.25"), "é", null,
                    List.of(1, 2), LocalDate.of(2026, 3, 8),
                    Instant.parse("2026-03-08T07:30:00.123Z").atZone(ZoneId.of("UTC")),
                };
                for (var index = 0; index < values.length; index += 1) row.setValue(index + 1, values[index]);
                row.commitRow();
            }, ClickHouseFormat.RowBinary, new InsertSettings()).get().close();

            var row = reader.queryAll("SELECT * FROM " + table).get(0);
            var list = row.<Number>getList("list");
            System.out.println(String.join(" ",
                row.getBigInteger("n").toString(), row.getString("f"), row.getBigDecimal("d").toString(),
                row.getString("s"), "" + !row.hasValue("none"), "" + list.size(), list.get(1).toString(),
                row.getLocalDate("day").toString(), row.getZonedDateTime("at").toOffsetDateTime().toString()));
        }
    }

    private static Client open(String url, String user) {
        return new Client.Builder().addEndpoint(url)
            .setUsername(user).setPassword(System.getenv(user)).setDefaultDatabase("default").build();
    }
}
