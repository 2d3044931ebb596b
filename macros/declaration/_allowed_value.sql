{% macro _allowed_value(value, rule) %}
    {% if value is none and "default" in rule and rule.default is none %}
        {% do return(none) %}
    {% elif rule.kind == "choice" %}
        {% if value not in rule.allowed %}{% do return(rule.allowed | map("tojson") | join(", ")) %}{% endif %}
    {% elif rule.kind == "flag" %}
        {% if value is not boolean %}{% do return("true or false") %}{% endif %}
    {% elif rule.kind == "text" %}
        {% if value is not string or not value | trim %}{% do return("a text that is not empty") %}{% endif %}
    {% elif rule.kind == "folders" %}
        {% set folders = [value] if value is string or value is mapping or value is not sequence else value %}
        {% if not folders or folders | reject("string") | list or not folders | map("trim") | min %}
            {% do return("a text that is not empty, or a list of such texts") %}
        {% endif %}
    {% elif rule.kind == "texts" %}
        {% if value is string or value is mapping or value is not sequence or value | reject("string") | list %}
            {% do return("a list of column names, or [] for none") %}
        {% endif %}
    {% elif rule.kind == "characters" %}
        {% if value is not string or not value %}
            {% do return("one or more characters; invisible ones in single quotes: '\\n', '\\r\\n', '\\t'") %}
        {% endif %}
    {% elif rule.kind == "character" %}
        {% if value is not string or not modules.re.match("^[!-~]$", value) %}
            {% do return("one ASCII character") %}
        {% endif %}
    {% elif rule.kind == "any_text" %}
        {% if value is not string %}{% do return("a text, also an empty one") %}{% endif %}
    {% elif rule.kind == "keys" %}
        {% if value is not mapping %}{% do return("a mapping of " ~ rule["keys"].keys() | join(", ")) %}{% endif %}
    {% elif rule.kind == "date" %}
        {% if not dms_snapshots.is_date(value | string) %}{% do return("a date as YYYY-MM-DD") %}{% endif %}
        {#- With a date far ahead, no change would be taken until then. -#}
        {% if value | string > dms_snapshots.tomorrow() %}
            {% do return("a date up to " ~ dms_snapshots.tomorrow() ~ ", which is tomorrow") %}
        {% endif %}
    {% elif rule.kind == "timezone" %}
        {% if value is not string or value not in modules.pytz.all_timezones_set %}
            {% do return("a name of the time zone database, such as UTC or Europe/Berlin") %}
        {% endif %}
    {% elif rule.kind == "tests" %}
        {% if value is string or value is mapping or value is not sequence or value | reject("mapping") | list
            or value | map("length") | reject("equalto", 1) | list %}
            {% do return(
                "a list of generic data tests with their arguments, such as [{not_null: {column_name: name}}]"
            ) %}
        {% endif %}
        {% for name in value | map("first") if not dms_snapshots.find_test(name) %}
            {% do return(
                "a list of generic data tests of this project, of dbt or of a package (package.name), "
                ~ "and there is none of the name " ~ name
            ) %}
        {% endfor %}
    {% elif rule.kind == "days" %}
        {% if value is not integer or value is boolean or value < 0 %}
            {% do return("a whole number of days from 0") %}
        {% endif %}
    {% elif rule.kind == "fraction" %}
        {% if value is not number or value is boolean or not (0 <= value and value <= 1) %}
            {% do return("a number from 0 to 1") %}
        {% endif %}
    {% endif %}
    {% do return(none) %}
{% endmacro %}
